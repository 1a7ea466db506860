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
  isStreamBody,
  type StreamBody,
  takeParameter,
} from '../contract/exchange.ts';
import { clientClosed, GatewayError, signInRequired } from '../contract/gateway-error.ts';
import type { MemoryAllowance, MemoryReservation } from '../contract/memory-allowance.ts';
import { ANONYMOUS, type Principal, UNRESTRICTED } from '../contract/principal.ts';
import { NO_READ_COUNTS, type ReadCounts } from '../contract/read-counts.ts';
import { acceptedAge, freshnessFields, RequestCost, serverTiming } from '../contract/request-cost.ts';
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

/**
 * The authentication of a server. All requests are anonymous until it is opened, because the accounts need
 * the public URL.
 */
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

/** Authentication without access control: everything is allowed. */
export const admitEverybody: Authenticate = () => UNRESTRICTED;

export interface ServerOptions {
  /** Undefined for a server that gets its routes later and is not ready until then. */
  readonly routes?: readonly Route[] | undefined;
  readonly landing: LandingOf;
  /** The built screens; without them, there is no `/app`. */
  readonly web?: SiteOptions;
  /** The built documentation; without it, there is no `/docs`. */
  readonly docs?: SiteOptions;
  readonly log: Logger;
  /** Without it, all requests are anonymous. */
  readonly authenticate?: Authenticate;
  /** The state for `/health/ready` once there are routes, computed per request. */
  readonly readiness?: () => Readiness | Promise<Readiness>;
  /** The query parameter that may hold an API key; routes see it as the header field X-API-Key only. */
  readonly apiKeyParameter?: string;
  /** The origins whose pages may use the routes that allow it; `*` allows all. */
  readonly corsOrigins?: readonly string[];
  /** Without access control: the pages that may use the gateway. */
  readonly ownPages?: OwnPages | undefined;
  /** Addresses and networks that may read `/metrics`; undefined disables it. */
  readonly metricsReaders?: readonly string[] | undefined;
  /** Deviations of upstream data from the documents. */
  readonly deviations?: Pick<Deviations, 'counts'>;
  readonly reads?: Pick<ReadCounts, 'counts' | 'contradictions'> | undefined;
  /** Whether the current project cannot be served, so that an earlier state is. */
  readonly isProjectRefused?: () => boolean;
  /** True if the public URL is https. */
  readonly secure?: boolean;
  /** The limit for the memory of responses; not counted if undefined. */
  readonly memory?: MemoryAllowance | undefined;
  readonly limits?: Partial<ServerLimits>;
}

export interface GatewayServer {
  readonly metrics: Pick<Metrics, 'write' | 'contentType'>;
  /** Handles requests that another server has accepted; paths are relative to the gateway's root. */
  readonly handle: RequestListener;
  /** Starts to accept connections; port 0 selects any free one. Throws Node's error, such as EADDRINUSE. */
  listen(host: string, port: number): Promise<AddressInfo>;
  /**
   * Replaces the routes and the landing page for new requests. Resolves when the last request of the earlier
   * routes is finished.
   */
  replaceRoutes(routes: readonly Route[], landing: LandingOf): Promise<void>;
  /**
   * Stops without failing a request; resolves when the last connection is closed. New requests are accepted
   * for `leaveMs` more, until load balancers see readiness report 503.
   */
  close(leaveMs?: number): Promise<void>;
}

/** Creates the HTTP server: request id, access log, then the routes with helmet's header fields. */
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
 * Express's router without its application, which would change the prototypes of every request and response:
 * that costs half as much again as the routing.
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
        // The router rejects targets such as `//]@x/#` without calling a layer: the response is 404.
        void serveParts(request, response);
      }
    });
  };
  return (request, response) => {
    if (admission.admit(request, response)) starts.start(response, () => begin(request, response));
  };
}

/**
 * Moves an API key from the query to the header field `X-API-Key`, for clients that cannot set headers. Logs,
 * links and routes never see it.
 *
 * An existing header field takes precedence.
 */
function apiKeyFromQuery(request: IncomingMessage, name: string): void {
  const taken = takeParameter(request.url ?? '', name);
  if (taken === undefined) return;
  request.url = taken.target;
  request.headers['x-api-key'] ??= taken.value;
}

/** The routes between two replacements, with their running requests. */
interface RouteGeneration {
  serve(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Resolves when no request is running. Called once, after the last request. */
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
 * Helmet's header fields, in lower case, computed once because they never vary.
 *
 * `secure`: the public URL is https. On http, upgrading requests would fail. The four fields that only
 * outdated browsers and plug-ins read are disabled.
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
 * means `/odata`, for any host.
 */
function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const authority = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i.exec(target);
  if (authority === null) return target;
  const rest = target.slice(authority[0].length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

interface Mount {
  readonly path: string;
  readonly serve: Serve;
}

/** Sorts by descending length of the path, so that the first match is the longest. */
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
 * Serves a request by the route at its target. The last mount is the root, which also handles targets such as
 * `OPTIONS *`.
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

/** Adapts a route that handles records to Node's requests and responses. */
function handlerAdapter(route: HandlerRoute, dependencies: RouteDependencies): Serve {
  const headers = { ...dependencies.headers, ...route.headers };
  const { preflight, share } = route.crossOrigin ? dependencies.crossOrigin : NO_CROSS_ORIGIN;
  const answerOf = answerer(route, dependencies);
  return async (request, response, target) => {
    const received = receive(request, response, target);
    // Preflight requests carry no credentials, so they precede authentication.
    const answer = preflight(received) ?? share(await answerOf(received, request, response), received);
    try {
      await writeAnswer(response, answer, received, headers, dependencies);
    } catch (error) {
      // Node rejects an invalid status or header field before it writes anything.
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

/** Calls the route's handler; errors become responses. */
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
      const cost = new RequestCost(acceptedAge(received.headers['cache-control']));
      const known = { ...received, principal, cost, memory: heldFor(response, dependencies) };
      assertSignedIn(route, principal, request);
      const limit = bodyLimit(route, received.target);
      if (mayExceed(request, limit) && route.takesUpload?.(known) === true) {
        const handle = (body: StreamBody) => route.handler({ ...known, upload: body });
        return withCost(await withUpload(request, response, upload, handle), cost, principal);
      }
      const body = await bodyOf(request, response, principal, limit);
      const answer = await route.handler(body === undefined ? known : { ...known, body });
      if (!isStreamBody(answer.body) || answer.body.isMade !== true)
        known.memory?.settle(lengthOf(answer.body) ?? 0);
      return withCost(answer, cost, principal);
    } catch (error) {
      return errorAnswer(error, route, received, log);
    }
  };
}

/** Adds the timing of upstream calls (Server Timing, 2), for principals that may see it. */
function withCost(answer: GatewayResponse, cost: RequestCost, principal: Principal): GatewayResponse {
  const timing = serverTiming(cost, principal);
  const isFresh = cost.rest > 0 || cost.kept > 0;
  if (timing === undefined && !isFresh) return answer;
  const fields = isFresh ? freshnessFields(cost, answer.headers) : {};
  const headers = { ...answer.headers, ...fields, ...(timing && { 'server-timing': timing }) };
  return { ...answer, headers };
}

/** Reads a whole body within the memory limit of its sender; undefined without a body. */
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

/** The memory held for the response, until it is sent. */
function heldFor(response: ServerResponse, { memory }: RouteDependencies): MemoryReservation | undefined {
  const reservation = memory?.reserve();
  if (reservation !== undefined) atClose(response, () => reservation.release());
  return reservation;
}

/** Passes the body as a stream, and discards the rest when the response is complete. */
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
    // The handler is finished, so the rest of the body is not needed.
    if (!request.complete) response.shouldKeepAlive = false;
    closeUpload(upload, request);
  }
}

/** Passes requests to a listener, after the same checks as for other routes. */
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

/** A copy of the request with its body in memory: a listener would read without a limit. */
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

/** Checks a request before any route sees it; throws a GatewayError. */
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
 * RFC 9112, 3.2: exactly one Host, in the form of RFC 3986. Its value is never used in a response, but an
 * invalid one may be an attempt at request smuggling.
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

/** RFC 9110, 5.3 and 11.6.2: at most one. Node drops the others, which a proxy may have checked instead. */
function checkAuthorization({ headers, rawHeaders }: IncomingMessage): void {
  if (headers.authorization === undefined || countFields(rawHeaders, 'authorization') === 1) return;
  throw new GatewayError('BadRequest', 'The request has more than one Authorization header.', {
    target: 'Authorization',
  });
}

function countFields(rawHeaders: readonly string[], wanted: string): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === wanted.length && name.toLowerCase() === wanted) count += 1;
  }
  return count;
}

/** Serves one request and never throws. The target is relative to the route's path. */
type Serve = (request: IncomingMessage, response: ServerResponse, target: string) => Promise<void>;

/** The record of a request before authentication and without its body. */
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
    // The end of an answer to HTTP/1.0 is that of the connection (RFC 9112, 6.3).
    ...(request.httpVersion !== '1.0' && { mayBreakOff: true }),
    ...(request.method === 'HEAD' && { bodiless: true }),
  };
}

/** Throws Unauthorized before the body is read, if the route requires a user. */
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

// Only set-cookie would be a list, and clients never send it. A copy would cost more than this cast.
function singleHeaders(request: IncomingMessage): GatewayRequest['headers'] {
  if (request.headers['set-cookie'] !== undefined) delete request.headers['set-cookie'];
  return request.headers as GatewayRequest['headers'];
}
