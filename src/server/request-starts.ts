import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { atClose } from './http-server.ts';

/** Requests that are begun before the event loop goes round. */
const AT_A_STRETCH = 32;

/** Where so many requests wait to be begun, connections that have been answered are not read. */
const READ_AHEAD = 64;

/** Begins a request, now or soon. */
type StartRequest = (response: ServerResponse, begin: () => void) => void;

/**
 * Begins some requests before the event loop goes round and the others after it, in the order in which they came. While many
 * wait, a connection that has been answered is left unread, so that its next request waits in the system's memory.
 *
 * Thousands that come in one turn would otherwise all be begun before the first of them is answered, and thousands of
 * clients would have as many requests wait here: what is made for them lives so long that collecting it takes as much
 * time as the answers.
 */
export function requestStarts(): StartRequest {
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
  const leaveUnread = (socket: Socket): void => {
    if (waiting.length < READ_AHEAD || socket.destroyed) return;
    socket.pause();
    unread.push(socket);
  };
  return (response, begin) => {
    atClose(response, () => leaveUnread(response.req.socket));
    goOnSoon();
    if (begun >= AT_A_STRETCH || waiting.length > 0) waiting.push({ response, begin });
    else {
      begun += 1;
      begin();
    }
  };
}
