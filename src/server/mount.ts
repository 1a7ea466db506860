import { IncomingMessage, type ServerResponse } from 'node:http';
import { type GatewayRequest, type GatewayResponse, handedOn } from '../contract/exchange.ts';
import { clientClosed, GatewayError, signInRequired } from '../contract/gateway-error.ts';
import type { MemoryReservation } from '../contract/memory-allowance.ts';
import { ANONYMOUS, type Principal } from '../contract/principal.ts';
import { noteSender, requestId } from './access-log.ts';
import {
  closeUpload,
  errorAnswer,
  internalError,
  lengthOf,
  mayExceed,
  openUpload,
  readBody,
  writeAnswer,
} from './http-message.ts';
import { atClose } from './http-server.ts';
import type { HandlerRoute, ListenerRoute, Route } from './route.ts';
import type { RouteDependencies } from './route-dependencies.ts';

/** A route at its place. */
export interface Mount {
  readonly path: string;
  readonly serve: Serve;
}

/** The longest path first, so that the first one that matches is meant. */
export function mountRoutes(routes: readonly Route[], dependencies: RouteDependencies): readonly Mount[] {
  return routes
    .map((route) => ({
      path: route.path,
      serve: measured(
        route,
        dependencies,
        'handler' in route ? handlerAdapter(route, dependencies) : listenerAdapter(route, dependencies),
      ),
    }))
    .sort((a, b) => b.path.length - a.path.length);
}

function measured({ path }: Route, { metrics }: RouteDependencies, serve: Serve): Serve {
  if (metrics === undefined) return serve;
  const observe = metrics.observerOf(path);
  return (request, response, target) => {
    observe(request, response);
    return serve(request, response, target);
  };
}

/**
 * Serves a request by the route at its target. The last mount is the one at the root: it also answers what
 * is no path at all, such as `OPTIONS *`.
 */
export function serveMounted(
  mounts: readonly Mount[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const target = request.url ?? '';
  const mount = mounts.find(({ path }) => isBelow(path, target)) ?? mounts.at(-1);
  if (mount === undefined) throw new Error('Nothing is mounted at the root.');
  return mount.serve(request, response, target.slice(mount.path.length));
}

/** Turns the requests of a route into records, and its records into answers. */
function handlerAdapter(route: HandlerRoute, dependencies: RouteDependencies): Serve {
  const headers = { ...dependencies.headers, ...route.headers };
  return async (request, response, target) => {
    const received = receive(request, response, target);
    const answer = await shared(route, dependencies, received, () =>
      answerOf(route, dependencies, received, request, response),
    );
    try {
      await writeAnswer(response, answer, received, headers, dependencies);
    } catch (error) {
      // Node refuses a status or a header field that it cannot write, before it has written anything.
      writeAnswer(
        response,
        errorAnswer(internalError(error), route, received, dependencies.log),
        received,
        headers,
        dependencies,
      );
    }
  };
}

/** A browser asks for permission before anybody has signed in. */
async function shared(
  { crossOrigin: isShared }: HandlerRoute,
  { crossOrigin }: RouteDependencies,
  received: GatewayRequest,
  answer: () => Promise<GatewayResponse>,
): Promise<GatewayResponse> {
  if (!isShared) return answer();
  return crossOrigin.preflight(received) ?? crossOrigin.share(await answer(), received);
}

async function answerOf(
  route: HandlerRoute,
  dependencies: RouteDependencies,
  received: GatewayRequest,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<GatewayResponse> {
  try {
    checkRequest(request, route, dependencies);
    const principal = route.open ? received.principal : await dependencies.authenticate(received);
    noteSender(request, principal);
    dependencies.admission.countFor(principal, response);
    const known = { ...received, principal, memory: heldFor(response, dependencies) };
    assertSignedIn(route, principal, request);
    const limit = bodyLimit(route, received.target);
    if (mayExceed(request, limit) && route.takesUpload?.(known) === true) {
      return await answerUpload(route, dependencies, known, request, response);
    }
    const take = dependencies.bodies.forRequest(response, principal);
    const body = await readBody(request, response, {
      limit,
      variable: route.bodyVariable,
      timeout: dependencies.bodyTimeout,
      take,
    });
    const answer = await route.handler({ ...known, body });
    known.memory?.settle(lengthOf(answer.body) ?? 0);
    return answer;
  } catch (error) {
    return errorAnswer(error, route, received, dependencies.log);
  }
}

/** What is held for the answer, until it is read. */
function heldFor(response: ServerResponse, { memory }: RouteDependencies): MemoryReservation | undefined {
  const reservation = memory?.reserve();
  if (reservation !== undefined) atClose(response, () => reservation.release());
  return reservation;
}

async function answerUpload(
  { handler, maxUploadBytes: limit = 0, uploadVariable: variable }: HandlerRoute,
  { bodyTimeout: silence }: RouteDependencies,
  known: GatewayRequest,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<GatewayResponse> {
  const upload = openUpload(request, response, { limit, variable, silence });
  try {
    return await handler({ ...known, upload });
  } finally {
    // Of what is not complete by now, nobody wants the rest.
    if (!request.complete) response.shouldKeepAlive = false;
    closeUpload(upload, request);
  }
}

/** Hands requests on to a listener that answers them itself, with the same guards in front of it. */
function listenerAdapter(route: ListenerRoute, dependencies: RouteDependencies): Serve {
  const headers = { ...dependencies.headers, ...route.headers };
  return async (request, response, target) => {
    const received = receive(request, response, target);
    try {
      checkRequest(request, route, dependencies);
      const principal = route.open ? received.principal : await dependencies.authenticate(received);
      dependencies.admission.countFor(principal, response);
      assertSignedIn(route, principal, request);
      const body = await readBody(request, response, {
        limit: bodyLimit(route, target),
        variable: route.bodyVariable,
        timeout: dependencies.bodyTimeout,
        take: dependencies.bodies.forRequest(response, principal),
      });
      const whole = body === undefined ? request : replay(request, body);
      for (const name in headers) response.setHeader(name, headers[name] ?? '');
      response.setHeader('x-request-id', received.id);
      if (dependencies.isStopping()) response.shouldKeepAlive = false;
      await route.listener(whole, response, { id: received.id, principal, signal: received.signal });
    } catch (error) {
      const answer = errorAnswer(error, route, received, dependencies.log);
      if (response.headersSent) response.destroy();
      else writeAnswer(response, answer, received, headers, dependencies);
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

/** Throws what is wrong with a request before any part looks at it. */
function checkRequest(
  request: IncomingMessage,
  { crossOrigin = false }: Route,
  { maxTargetLength, checkPage }: RouteDependencies,
): void {
  if ((request.url ?? '').length > maxTargetLength) {
    throw new GatewayError(
      'UriTooLong',
      `The URL is longer than ${maxTargetLength} characters (URL_LENGTH).`,
    );
  }
  checkHost(request);
  checkPage(request, crossOrigin);
}

const HOST = /^(?:[\w.~!$&'()*+,;=%-]*|\[(?:[\da-f:.]+|v[\da-f]+\.[\w.~!$&'()*+,;=:-]+)\])(?::\d*)?$/i;

/**
 * RFC 9112, 3.2: exactly one Host, in the form of RFC 3986. Its value is never used for an answer, but who sends a
 * broken one may be trying to make two servers see two different requests.
 */
function checkHost(request: IncomingMessage): void {
  const { host } = request.headers;
  if (host === undefined && request.httpVersion === '1.0') return;
  if (host === undefined || !HOST.test(host) || countHosts(request.rawHeaders) !== 1) {
    throw new GatewayError('BadRequest', 'The request needs exactly one valid Host header.', {
      target: 'Host',
    });
  }
}

function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}

/** Serves one request and never fails. The target is what is below the route's path. */
export type Serve = (request: IncomingMessage, response: ServerResponse, target: string) => Promise<void>;

/** What is known of a request before anybody has looked at it: nobody asks, and it has no body. */
function receive(request: IncomingMessage, response: ServerResponse, target: string): GatewayRequest {
  const id = requestId(request);
  return {
    id,
    handedOn: handedOn(id, request.headers as GatewayRequest['headers']),
    principal: ANONYMOUS,
    signal: signalOf(response),
    method: request.method === 'HEAD' ? 'GET' : (request.method ?? ''),
    target,
    headers: singleHeaders(request),
    remote: request.socket.remoteAddress,
    body: undefined,
    ...(request.method === 'HEAD' && { bodiless: true }),
  };
}

/** Refuses whoever has to sign in first, before any body is read: Unauthorized. */
function assertSignedIn(route: Route, { kind }: Principal, request: IncomingMessage): void {
  if (kind === 'anonymous' && route.open !== true && mayExceed(request, 0)) throw signInRequired();
}

function bodyLimit(route: Route, target: string): number {
  const { maxBodyBytes = 1_048_576 } = route;
  return typeof maxBodyBytes === 'number' ? maxBodyBytes : maxBodyBytes(target);
}

function signalOf(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  atClose(response, () => {
    if (!response.writableFinished) controller.abort(clientClosed());
  });
  return controller.signal;
}

// Only set-cookie comes as a list, and no client has a reason to send it. A copy would cost more.
function singleHeaders(request: IncomingMessage): GatewayRequest['headers'] {
  if (request.headers['set-cookie'] !== undefined) delete request.headers['set-cookie'];
  return request.headers as GatewayRequest['headers'];
}

/** Whether the target is the path or below it. Nothing is decoded: `/odat%61` is not `/odata`. */
export function isBelow(path: string, target: string): boolean {
  if (!target.startsWith(path)) return false;
  const next = target.charCodeAt(path.length);
  return Number.isNaN(next) || next === SLASH || next === QUESTION_MARK || next === NUMBER_SIGN;
}

const SLASH = 0x2f;
const QUESTION_MARK = 0x3f;
const NUMBER_SIGN = 0x23;
