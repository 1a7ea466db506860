import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { type Request, type Response, Router } from 'express';
import helmet from 'helmet';
import type { Logger } from 'pino';
import { type Deviations, NO_DEVIATIONS } from '../contract/deviations.ts';
import {
  type GatewayRequest,
  type GatewayResponse,
  handedOn,
  type StreamBody,
  takeParameter,
} from '../contract/exchange.ts';
import { clientClosed, GatewayError, signInRequired } from '../contract/gateway-error.ts';
import type { MemoryAllowance, MemoryReservation } from '../contract/memory-allowance.ts';
import { ANONYMOUS, type Principal, UNRESTRICTED } from '../contract/principal.ts';
import { NO_READ_COUNTS, type ReadCounts } from '../contract/read-counts.ts';
import { RequestCost, serverTiming } from '../contract/request-cost.ts';
import { identifyRequest, logAccess, noteSender, requestId } from './access-log.ts';
import { crossOriginFor, EVERY_PAGE, NO_CROSS_ORIGIN, type OwnPages, ownPages } from './cross-origin.ts';
import { docsRoute } from './docs-files.ts';
import { healthRoute, type Readiness, STARTING_ROUTE } from './health.ts';
import {
  BodyAllowance,
  closeUpload,
  errorAnswer,
  internalError,
  isBelow,
  lengthOf,
  mayExceed,
  openUpload,
  readBody,
  type UploadLimits,
  writeAnswer,
} from './http-message.ts';
import {
  Admission,
  atClose,
  createHttpServer,
  hasBody,
  listen,
  type RequestStarts,
  requestStarts,
  trackConnections,
} from './http-server.ts';
import { type LandingOf, landingRoute } from './landing.ts';
import { createMetrics, type Metrics, metricsRoute } from './metrics.ts';
import type { HandlerRoute, ListenerRoute, Route } from './route.ts';
import type { Authenticate, RouteDependencies } from './route-dependencies.ts';
import { DEFAULT_LIMITS, type ServerLimits } from './server-limits.ts';
import { drain } from './shutdown.ts';
import type { SiteOptions } from './site-files.ts';
import { webFiles, webRoute } from './web-files.ts';

/** What a server asks who is asking. Nobody is known until it is opened: accounts have to know the public URL. */
interface Gate {
  readonly authenticate: Authenticate;
  open(authenticate: Authenticate): void;
}

export function closedGate(): Gate {
  let admitted: Authenticate = () => ANONYMOUS;
  return {
    authenticate: (request) => admitted(request),
    open(authenticate) {
      admitted = authenticate;
    },
  };
}

/** Nobody is asked who they are, and everybody may do everything. */
export const admitEverybody: Authenticate = () => UNRESTRICTED;

export interface ServerOptions {
  /** Undefined for a server that gets them later, and is not ready until then. */
  readonly routes?: readonly Route[] | undefined;
  readonly landing: LandingOf;
  /** The built screens; without it there is no `/app`. */
  readonly web?: SiteOptions;
  /** The built documentation; without it there is no `/docs`. */
  readonly docs?: SiteOptions;
  readonly log: Logger;
  /** Without it, everybody is anonymous. */
  readonly authenticate?: Authenticate;
  /** The state that `/health/ready` reports once there are routes, for each request. */
  readonly readiness?: () => Readiness | Promise<Readiness>;
  /** The query parameter that may hold an API key: it reaches nobody but as the header field X-API-Key. */
  readonly apiKeyParameter?: string;
  /** The origins whose pages may use the routes that allow it; `*` stands for all. */
  readonly corsOrigins?: readonly string[];
  /** Where nobody is asked who he is, the pages that may use the gateway. */
  readonly ownPages?: OwnPages | undefined;
  /** Addresses and networks from which `/metrics` may be read; without them it is not served. */
  readonly metricsReaders?: readonly string[] | undefined;
  /** What upstreams said that their documents do not. */
  readonly deviations?: Pick<Deviations, 'counts'>;
  readonly reads?: Pick<ReadCounts, 'counts'> | undefined;
  /** Whether what was to be served last cannot be, so that something earlier is. */
  readonly isProjectRefused?: () => boolean;
  /** Whether the public URL is https. */
  readonly secure?: boolean;
  /** Room for answers; without it, nobody counts what they take. */
  readonly memory?: MemoryAllowance | undefined;
  readonly limits?: Partial<ServerLimits>;
}

export interface GatewayServer {
  readonly metrics: Pick<Metrics, 'write' | 'contentType'>;
  /** Answers requests that another server has accepted; paths are those below the gateway's root. */
  readonly handle: RequestListener;
  /** Starts to accept connections; port 0 takes any free one. Fails with Node's error, such as EADDRINUSE. */
  listen(host: string, port: number): Promise<AddressInfo>;
  /**
   * Puts other routes and another landing page in the place of the present ones, for requests from now on.
   * Resolves when the last request that the earlier routes have taken is answered: nobody needs them then.
   */
  replaceRoutes(routes: readonly Route[], landing: LandingOf): Promise<void>;
  /**
   * Stops without failing a request; resolves when the last connection is closed. New ones are taken for so many
   * milliseconds more: as long as a load balancer needs to see that readiness says 503.
   */
  close(leaveMs?: number): Promise<void>;
}

/** Assembles the HTTP server: request id, access log, then the routes under helmet's header fields. */
export function createServer(options: ServerOptions): GatewayServer {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  let closing: Promise<void> | undefined;
  const { metricsReaders, deviations = NO_DEVIATIONS, reads = NO_READ_COUNTS } = options;
  const { isProjectRefused = () => false } = options;
  const metrics = createMetrics(deviations, reads, isProjectRefused);
  const dependencies: RouteDependencies = {
    authenticate: options.authenticate ?? (() => ANONYMOUS),
    log: options.log,
    headers: securityHeaders(options.secure ?? false),
    maxTargetLength: limits.maxTargetLength,
    bodyTimeout: limits.requestTimeoutMs,
    bodies: new BodyAllowance(limits.bodiesBytes),
    admission: new Admission(limits),
    memory: options.memory,
    reading: limits,
    crossOrigin: crossOriginFor(options.corsOrigins ?? []),
    checkPage: options.ownPages === undefined ? EVERY_PAGE : ownPages(options.ownPages),
    metrics,
    isStopping: () => closing !== undefined,
  };
  let hasRoutes = options.routes !== undefined;
  const { readiness = () => 'ready' } = options;
  const health = healthRoute(() => (hasRoutes ? readiness() : 'not ready'), dependencies.isStopping);
  const files = options.web && webFiles(options.web);
  const own = [
    health,
    ...(files ? [webRoute(files)] : []),
    ...(options.docs ? [docsRoute(options.docs)] : []),
    ...(metricsReaders ? [metricsRoute(metrics, metricsReaders)] : []),
  ];
  const startRoutes = (routes: readonly Route[], landing: LandingOf): RouteGeneration =>
    startGeneration(
      mountRoutes([...routes, ...own, landingRoute(landing, dependencies.authenticate, files)], dependencies),
    );
  let serving =
    options.routes === undefined
      ? startGeneration(mountRoutes([health, STARTING_ROUTE], dependencies))
      : startRoutes(options.routes, options.landing);
  const starts = requestStarts();
  const handle = requestListener(options, dependencies, starts, (request, response) =>
    serving.serve(request, response),
  );
  const server = createHttpServer(handle, limits);
  trackConnections(server);
  starts.leaveUnread(server);
  return {
    handle,
    metrics,
    listen: (host, port) => listen(server, host, port, options.log),
    replaceRoutes: (routes, landing) => {
      const earlier = serving;
      serving = startRoutes(routes, landing);
      hasRoutes = true;
      return earlier.end();
    },
    close: (leaveMs = 0) => {
      closing ??= drain(server, { leaveMs, graceMs: limits.graceMs }).then((complete) => {
        if (!complete) options.log.warn({}, 'requests were cut off at the end of the grace period');
      });
      return closing;
    },
  };
}

/**
 * Express's router without its application, which would also change the prototypes of every request and
 * response: half as much again as all of the router's work, for methods that nobody here calls.
 */
function requestListener(
  { log, apiKeyParameter }: ServerOptions,
  { admission }: RouteDependencies,
  starts: RequestStarts,
  serveParts: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): RequestListener {
  const router = Router();
  router.use(serveParts);
  const noteAccess = log.isLevelEnabled('info') ? logAccess(log) : () => undefined;
  const begin: RequestListener = (request, response) => {
    request.url = originForm(request.url ?? '');
    if (apiKeyParameter !== undefined) apiKeyFromQuery(request, apiKeyParameter);
    identifyRequest(request);
    noteAccess(request, response);
    router(request as Request, response as Response, (err: unknown) => {
      if (err) {
        log.error({ err }, 'a request was given up');
        response.destroy();
      } else {
        // The router cannot parse targets such as `//]@x/#` and asks no layer then: nothing is there.
        void serveParts(request, response);
      }
    });
  };
  return (request, response) => {
    if (admission.admit(request, response)) starts.start(response, () => begin(request, response));
  };
}

/**
 * Turns the query parameter that holds an API key into the header field `X-API-Key`, for clients that can send
 * no header. From here on it is no part of the target: no log, no link and no part sees it.
 *
 * A header field that is there stays as it is.
 */
function apiKeyFromQuery(request: IncomingMessage, name: string): void {
  const taken = takeParameter(request.url ?? '', name);
  if (taken === undefined) return;
  request.url = taken.target;
  request.headers['x-api-key'] ??= taken.value;
}

/** The routes that serve from one replacement to the next, with the requests that they have taken. */
interface RouteGeneration {
  serve(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Resolves when no request is under way. To be asked once, when no more of them will come. */
  end(): Promise<void>;
}

function startGeneration(mounts: readonly Mount[]): RouteGeneration {
  let underWay = 0;
  let onIdle = (): void => undefined;
  const leave = (): void => {
    underWay -= 1;
    if (underWay === 0) onIdle();
  };
  return {
    serve(request, response) {
      underWay += 1;
      return serveMounted(mounts, request, response).finally(leave);
    },
    end: () =>
      new Promise((resolve) => {
        onIdle = resolve;
        if (underWay === 0) resolve();
      }),
  };
}

/**
 * Helmet's header fields, in lower case. They are the same for every answer, so helmet is asked once.
 *
 * `secure`: the public URL is https. On http, a browser that is told to upgrade finds nothing there.
 * Switched off are the four that only browsers and plug-ins of the past have read.
 */
function securityHeaders(secure: boolean): Readonly<Record<string, string>> {
  const setHeaders = helmet({
    contentSecurityPolicy: { directives: { upgradeInsecureRequests: secure ? [] : null } },
    strictTransportSecurity: secure,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  });
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  setHeaders(request, response, () => {});
  return Object.fromEntries(
    Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]),
  );
}

/**
 * The request target without scheme and authority (RFC 9112, 3.2.2): `GET http://any.host/odata HTTP/1.1`
 * means `/odata`, whatever the host.
 */
function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const authority = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i.exec(target);
  if (authority === null) return target;
  const rest = target.slice(authority[0].length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** A route at its place. */
interface Mount {
  readonly path: string;
  readonly serve: Serve;
}

/** The longest path first, so that the first one that matches is meant. */
function mountRoutes(routes: readonly Route[], dependencies: RouteDependencies): readonly Mount[] {
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
function serveMounted(
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
  const { preflight, share } = route.crossOrigin ? dependencies.crossOrigin : NO_CROSS_ORIGIN;
  const answerOf = answerer(route, dependencies);
  return async (request, response, target) => {
    const received = receive(request, response, target);
    // A browser asks for permission before anybody has signed in.
    const answer = preflight(received) ?? share(await answerOf(received, request, response), received);
    try {
      await writeAnswer(response, answer, received, headers, dependencies);
    } catch (error) {
      // Node refuses a status or a header field that it cannot write, before it has written anything.
      const internal = errorAnswer(internalError(error), route, received, dependencies.log);
      writeAnswer(response, internal, received, headers, dependencies);
    }
  };
}

type AnswerOf = (
  received: GatewayRequest,
  request: IncomingMessage,
  response: ServerResponse,
) => Promise<GatewayResponse>;

/** Has the route's handler answer; what goes wrong is an answer, too. */
function answerer(route: HandlerRoute, dependencies: RouteDependencies): AnswerOf {
  const { authenticate, admission, bodyTimeout, reading: pace, log } = dependencies;
  const { maxUploadBytes = 0, uploadVariable } = route;
  const upload = { limit: maxUploadBytes, variable: uploadVariable, silence: bodyTimeout, pace };
  const bodyOf = bodyReader(route, dependencies);
  return async (received, request, response) => {
    try {
      checkRequest(request, route, dependencies);
      const principal = route.open ? received.principal : await authenticate(received);
      noteSender(request, principal);
      admission.countFor(principal, response);
      const cost = new RequestCost();
      const known = { ...received, principal, cost, memory: heldFor(response, dependencies) };
      assertSignedIn(route, principal, request);
      const limit = bodyLimit(route, received.target);
      if (mayExceed(request, limit) && route.takesUpload?.(known) === true) {
        const handle = (body: StreamBody) => route.handler({ ...known, upload: body });
        return withCost(await withUpload(request, response, upload, handle), cost, principal);
      }
      const body = await bodyOf(request, response, principal, limit);
      const answer = await route.handler(body === undefined ? known : { ...known, body });
      known.memory?.settle(lengthOf(answer.body) ?? 0);
      return withCost(answer, cost, principal);
    } catch (error) {
      return errorAnswer(error, route, received, log);
    }
  };
}

/** The answer with the calls that it took (Server Timing, 2), for principals that may see them. */
function withCost(answer: GatewayResponse, cost: RequestCost, principal: Principal): GatewayResponse {
  const timing = serverTiming(cost, principal);
  if (timing === undefined) return answer;
  return { ...answer, headers: { ...answer.headers, 'server-timing': timing } };
}

/** Reads a body as a whole, for which whoever sends it must find room; undefined where there is none. */
type ReadBody = (
  request: IncomingMessage,
  response: ServerResponse,
  principal: Principal,
  limit: number,
) => Promise<Uint8Array> | undefined;

function bodyReader(
  { bodyVariable: variable }: Route,
  { bodies, bodyTimeout: timeout }: RouteDependencies,
): ReadBody {
  return (request, response, principal, limit) => {
    if (!hasBody(request)) return undefined;
    const take = bodies.forRequest(response, principal);
    return readBody(request, response, { limit, variable, timeout, take });
  };
}

/** What is held for the answer, until it is read. */
function heldFor(response: ServerResponse, { memory }: RouteDependencies): MemoryReservation | undefined {
  const reservation = memory?.reserve();
  if (reservation !== undefined) atClose(response, () => reservation.release());
  return reservation;
}

/** Hands the body on as it comes, and lets go of it when the answer is there. */
async function withUpload(
  request: IncomingMessage,
  response: ServerResponse,
  limits: UploadLimits,
  handle: (upload: StreamBody) => GatewayResponse | Promise<GatewayResponse>,
): Promise<GatewayResponse> {
  const upload = openUpload(request, response, limits);
  try {
    return await handle(upload);
  } finally {
    // Of what is not complete by now, nobody wants the rest.
    if (!request.complete) response.shouldKeepAlive = false;
    closeUpload(upload, request);
  }
}

/** Hands requests on to a listener that answers them itself, with the same guards in front of it. */
function listenerAdapter(route: ListenerRoute, dependencies: RouteDependencies): Serve {
  const headers = { ...dependencies.headers, ...route.headers };
  const bodyOf = bodyReader(route, dependencies);
  return async (request, response, target) => {
    const received = receive(request, response, target);
    try {
      checkRequest(request, route, dependencies);
      const principal = route.open ? received.principal : await dependencies.authenticate(received);
      dependencies.admission.countFor(principal, response);
      assertSignedIn(route, principal, request);
      const body = await bodyOf(request, response, principal, bodyLimit(route, target));
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
  { crossOrigin = false, longRequests }: Route,
  { maxTargetLength, checkPage }: RouteDependencies,
): void {
  if ((request.url ?? '').length > maxTargetLength) {
    const message = `The URL is longer than ${maxTargetLength} characters (URL_LENGTH).`;
    throw new GatewayError('UriTooLong', longRequests === undefined ? message : `${message} ${longRequests}`);
  }
  checkHost(request);
  checkAuthorization(request);
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
  if (host === undefined || !HOST.test(host) || countFields(request.rawHeaders, 'host') !== 1) {
    throw new GatewayError('BadRequest', 'The request needs exactly one valid Host header.', {
      target: 'Host',
    });
  }
}

/** RFC 9110, 5.3 and 11.6.2: one at most. Others would be dropped, and a proxy may have looked at those. */
function checkAuthorization({ headers, rawHeaders }: IncomingMessage): void {
  if (headers.authorization === undefined || countFields(rawHeaders, 'authorization') === 1) return;
  throw new GatewayError('BadRequest', 'The request has more than one Authorization header.', {
    target: 'Authorization',
  });
}

/** `wanted` is in lower case. */
function countFields(rawHeaders: readonly string[], wanted: string): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === wanted.length && name.toLowerCase() === wanted) count += 1;
  }
  return count;
}

/** Serves one request and never fails. The target is what is below the route's path. */
type Serve = (request: IncomingMessage, response: ServerResponse, target: string) => Promise<void>;

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
