import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { atClose } from './http-server.ts';

/** Requests that are begun before the event loop goes round. */
const AT_A_STRETCH = 32;

/** Where so many requests wait to be begun, connections that have been answered are not read. */
const READ_AHEAD = 64;

export interface RequestStarts {
  /** Begins a request, now or soon. */
  start(response: ServerResponse, begin: () => void): void;
  /**
   * Has connections of the server left unread that have been answered while many requests wait: their next ones wait in
   * the system's memory. A server that the gateway is mounted into is not ours to do so with.
   */
  leaveUnread(server: Server): void;
}

/**
 * Begins some requests before the event loop goes round and the others after it, in the order in which they came.
 *
 * Thousands that come in one turn would otherwise all be begun before the first of them is answered, and thousands of
 * clients would have as many requests wait here: what is made for them lives so long that collecting it takes as much
 * time as the answers.
 */
export function requestStarts(): RequestStarts {
  const waiting: { readonly response: ServerResponse; readonly begin: () => void }[] = [];
  const unread: Socket[] = [];
  let begun = 0;
  let isGoingOn = false;
  const goOn = (): void => {
    begun = 0;
    isGoingOn = false;
    for (const { response, begin } of waiting.splice(0, AT_A_STRETCH)) {
      if (response.destroyed) continue;
      begun += 1;
      begin();
    }
    if (waiting.length < READ_AHEAD) for (const socket of unread.splice(0, AT_A_STRETCH)) socket.resume();
    if (begun > 0 || waiting.length > 0 || unread.length > 0) goOnSoon();
  };
  const goOnSoon = (): void => {
    if (!isGoingOn) setImmediate(goOn);
    isGoingOn = true;
  };
  const leave = (socket: Socket): void => {
    if (waiting.length < READ_AHEAD || socket.destroyed) return;
    socket.pause();
    unread.push(socket);
  };
  return {
    start(response, begin) {
      goOnSoon();
      if (begun >= AT_A_STRETCH || waiting.length > 0) waiting.push({ response, begin });
      else {
        begun += 1;
        begin();
      }
    },
    leaveUnread(server) {
      server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
        atClose(response, () => leave(socket));
      });
    },
  };
}
