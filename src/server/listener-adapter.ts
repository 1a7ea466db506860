import { IncomingMessage } from 'node:http';
import { errorAnswer, writeAnswer } from './answer.ts';
import type { ListenerPart } from './part.ts';
import { readBody } from './request-body.ts';
import { checkRequest } from './request-check.ts';
import { bodyLimit, demandLogin, type RouteDependencies, receive, type Serve } from './route-dependencies.ts';

/** Hands requests on to a listener that answers them itself, with the same guards in front of it. */
export function listenerAdapter(part: ListenerPart, ground: RouteDependencies): Serve {
  const headers = { ...ground.headers, ...part.headers };
  return async (request, response, target) => {
    const received = receive(request, response, target);
    try {
      checkRequest(request, part, ground);
      const principal = part.open ? received.principal : await ground.authenticate(received);
      ground.admission.countFor(principal, response);
      demandLogin(part, principal, request);
      const body = await readBody(request, response, {
        limit: bodyLimit(part, target),
        variable: part.bodyVariable,
        timeout: ground.bodyTimeout,
        take: ground.bodies.forRequest(response, principal),
      });
      const whole = body === undefined ? request : replay(request, body);
      for (const name in headers) response.setHeader(name, headers[name] ?? '');
      response.setHeader('x-request-id', received.id);
      if (ground.isStopping()) response.shouldKeepAlive = false;
      await part.listener(whole, response, { id: received.id, principal, signal: received.signal });
    } catch (error) {
      const answer = errorAnswer(error, part, received, ground.log);
      if (response.headersSent) response.destroy();
      else writeAnswer(response, answer, received, headers, ground);
    }
  };
}

/** The request with its body as it was read: a listener would read on for ever, and nobody would count. */
function replay(request: IncomingMessage, body: Uint8Array): IncomingMessage {
  const { 'transfer-encoding': _, ...headers } = request.headers;
  const copy = new IncomingMessage(request.socket);
  const { method, url, httpVersion, httpVersionMajor, httpVersionMinor } = request;
  Object.assign(copy, { method, url, httpVersion, httpVersionMajor, httpVersionMinor, complete: true });
  copy.headers = { ...headers, 'content-length': String(body.length) };
  if (body.length > 0) copy.push(body);
  copy.push(null);
  return copy;
}
