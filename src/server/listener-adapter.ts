import { IncomingMessage, type ServerResponse } from 'node:http';
import { errorAnswer, writeAnswer } from './answer.ts';
import { bodyLimit, demandLogin, type Ground, receive, type Serve } from './ground.ts';
import type { ListenerPart } from './part.ts';
import { admitBody, type BodyLimits, demandInTime, readBody } from './request-body.ts';
import { checkRequest } from './request-check.ts';

/** Hands requests on to a listener that answers them itself, with the same guards in front of it. */
export function listenerAdapter(part: ListenerPart, ground: Ground): Serve {
  const headers = { ...ground.headers, ...part.headers };
  return async (request, response, target) => {
    const received = receive(request, response, target);
    try {
      checkRequest(request, part, ground);
      const principal = part.open ? received.principal : await ground.authenticate(received);
      demandLogin(part, principal, request);
      const limits = {
        limit: bodyLimit(part, target),
        timeout: ground.bodyTimeout,
        take: ground.bodies.forRequest(response, principal),
      };
      const limited = await limitBody(request, response, limits);
      if (limited === request) {
        demandInTime(request, response, ground.bodyTimeout, (error) =>
          writeAnswer(response, errorAnswer(error, part, received, ground.log), received, headers, ground),
        );
      }
      for (const name in headers) response.setHeader(name, headers[name] ?? '');
      response.setHeader('x-request-id', received.id);
      if (ground.isStopping()) response.shouldKeepAlive = false;
      await part.listener(limited, response, { id: received.id, principal, signal: received.signal });
    } catch (error) {
      const answer = errorAnswer(error, part, received, ground.log);
      if (response.headersSent) response.destroy();
      else writeAnswer(response, answer, received, headers, ground);
    }
  };
}

/**
 * The request with no more body than the limit. A body of announced length stays where it is; one that comes
 * in chunks is read first and put into a request of its own, because a listener would read on for ever.
 */
async function limitBody(
  request: IncomingMessage,
  response: ServerResponse,
  limits: BodyLimits,
): Promise<IncomingMessage> {
  if (request.headers['transfer-encoding'] !== undefined) {
    return replay(request, await readBody(request, response, limits));
  }
  limits.take(Number(request.headers['content-length'] ?? 0));
  admitBody(request, response, limits.limit);
  return request;
}

function replay(request: IncomingMessage, body: Uint8Array | undefined): IncomingMessage {
  const { 'transfer-encoding': _, ...headers } = request.headers;
  const copy = new IncomingMessage(request.socket);
  const { method, url, httpVersion, httpVersionMajor, httpVersionMinor } = request;
  Object.assign(copy, { method, url, httpVersion, httpVersionMajor, httpVersionMinor, complete: true });
  copy.headers = { ...headers, 'content-length': String(body?.length ?? 0) };
  copy.push(body);
  copy.push(null);
  return copy;
}
