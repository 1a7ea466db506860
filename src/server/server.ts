import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { type Request, type Response, Router } from 'express';
import helmet from 'helmet';
import type { Logger } from 'pino';
import { type Deviations, NO_DEVIATIONS } from '../contract/deviations.ts';
import { takeParameter } from '../contract/exchange.ts';
import type { MemoryAllowance } from '../contract/memory-allowance.ts';
import { ANONYMOUS } from '../contract/principal.ts';
import { identifyRequest, logAccess } from './access-log.ts';
import { crossOriginFor, EVERY_PAGE, type OwnPages, ownPages } from './cross-origin.ts';
import { createDocsFiles, type DocsFilesOptions, docsRoute } from './docs-files.ts';
import { healthRoute } from './health.ts';
import { BodyAllowance } from './http-message.ts';
import { Admission, createHttpServer, listen, requestStarts, trackConnections } from './http-server.ts';
import { type LandingOf, landingRoute } from './landing.ts';
import { createMetrics, metricsRoute } from './metrics.ts';
import { type Mount, mountRoutes, serveMounted } from './mount.ts';
import type { Route } from './route.ts';
import type { Authenticate, RouteDependencies } from './route-dependencies.ts';
import { DEFAULT_LIMITS, type ServerLimits } from './server-limits.ts';
import { drain } from './shutdown.ts';
import { createWebFiles, NO_WEB_FILES, type WebFilesOptions, webRoute } from './web-files.ts';

export interface ServerOptions {
  readonly routes: readonly Route[];
  readonly landing: LandingOf;
  /** The built screens; without them `/app` says what to run. */
  readonly web?: WebFilesOptions;
  /** The built documentation; without it there is no `/docs`. */
  readonly docs?: DocsFilesOptions;
  readonly log: Logger;
  /** Without it, everybody is anonymous. */
  readonly authenticate?: Authenticate;
  /** Whether requests can be served; it is asked at every look at `/health/ready`. */
  readonly isReady?: () => boolean | Promise<boolean>;
  /** The query parameter that may hold an API key: it reaches nobody but as the header field X-API-Key. */
  readonly apiKeyParameter?: string;
  /** The origins whose pages may use the routes that allow it; `*` stands for all. */
  readonly corsOrigins?: readonly string[];
  /** Where nobody is asked who he is, the pages that may use the gateway. */
  readonly ownPages?: OwnPages | undefined;
  /** Addresses and networks from which `/metrics` may be read; without them nothing is counted. */
  readonly metricsReaders?: readonly string[] | undefined;
  /** What upstreams said that their documents do not. */
  readonly deviations?: Pick<Deviations, 'counts'>;
  /** Whether what was to be served last cannot be, so that something earlier is. */
  readonly isProjectRefused?: () => boolean;
  /** Whether the public URL is https. */
  readonly secure?: boolean;
  /** Room for answers; without it, nobody counts what they take. */
  readonly memory?: MemoryAllowance | undefined;
  readonly limits?: Partial<ServerLimits>;
}

export interface GatewayServer {
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
  const { metricsReaders, deviations = NO_DEVIATIONS, isProjectRefused = () => false } = options;
  const metrics = metricsReaders && createMetrics(deviations, isProjectRefused);
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
  const health = healthRoute(options.isReady ?? (() => true), dependencies.isStopping);
  const files = options.web === undefined ? NO_WEB_FILES : createWebFiles(options.web);
  const own = [
    health,
    webRoute(files),
    ...(options.docs ? [docsRoute(createDocsFiles(options.docs), options.docs.basePath)] : []),
    ...(metrics && metricsReaders ? [metricsRoute(metrics, metricsReaders)] : []),
  ];
  const startRoutes = (routes: readonly Route[], landing: LandingOf): RouteGeneration =>
    startGeneration(
      mountRoutes([...routes, ...own, landingRoute(landing, dependencies.authenticate, files)], dependencies),
    );
  let shift = startRoutes(options.routes, options.landing);
  const handle = requestListener(options, dependencies, (request, response) =>
    shift.serve(request, response),
  );
  const server = createHttpServer(handle, limits);
  trackConnections(server);
  return {
    handle,
    listen: (host, port) => listen(server, host, port, options.log),
    replaceRoutes: (routes, landing) => {
      const earlier = shift;
      shift = startRoutes(routes, landing);
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
  serveParts: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): RequestListener {
  const router = Router();
  router.use(identifyRequest);
  if (log.isLevelEnabled('info')) router.use(logAccess(log));
  router.use(serveParts);
  const start = requestStarts();
  const begin: RequestListener = (request, response) => {
    request.url = originForm(request.url ?? '');
    if (apiKeyParameter !== undefined) apiKeyFromQuery(request, apiKeyParameter);
    router(request as Request, response as Response, (err: unknown) => {
      if (err) {
        log.error({ err }, 'a request was given up');
        response.destroy();
      } else {
        // The router cannot parse targets such as `//]@x/#` and asks no layer then: nothing is there.
        identifyRequest(request, response, () => serveParts(request, response));
      }
    });
  };
  return (request, response) => {
    if (admission.admit(request, response)) start(response, () => begin(request, response));
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
  return {
    async serve(request, response) {
      underWay += 1;
      try {
        await serveMounted(mounts, request, response);
      } finally {
        underWay -= 1;
        if (underWay === 0) onIdle();
      }
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
