import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Request, type Response, Router } from 'express';
import type { Logger } from 'pino';
import { ANONYMOUS } from '../contract/principal.ts';
import { logAccess } from './access-log.ts';
import { answerClientError } from './client-error.ts';
import type { Authenticate, Ground, Serve } from './ground.ts';
import { handlerAdapter } from './handler-adapter.ts';
import { healthPart } from './health.ts';
import { type Landing, landingPart } from './landing.ts';
import { listenerAdapter } from './listener-adapter.ts';
import type { Part } from './part.ts';
import { identifyRequest } from './request-id.ts';
import { isBelow, originForm } from './request-target.ts';
import { securityHeaders } from './security-headers.ts';
import { drain, type ShutdownOptions, trackConnections } from './shutdown.ts';

export interface ServerOptions {
  readonly parts: readonly Part[];
  readonly landing: Landing;
  readonly log: Logger;
  /** Without it, everybody is anonymous. */
  readonly authenticate?: Authenticate;
  /** Whether requests can be served; it is asked at every look at `/health/ready`. */
  readonly isReady?: () => boolean | Promise<boolean>;
  /** Whether the public URL is https. */
  readonly secure?: boolean;
  readonly limits?: Partial<ServerLimits>;
}

export interface ServerLimits extends ShutdownOptions {
  /** Until the header fields of a request are complete. */
  readonly headersTimeoutMs: number;
  /** Until its body is complete. */
  readonly requestTimeoutMs: number;
  /** Longer than that of the load balancer in front, or it sends requests into closing connections. */
  readonly keepAliveTimeoutMs: number;
  /** After that long without a byte in either direction a connection is closed: its client does not read. */
  readonly silenceTimeoutMs: number;
  readonly timeoutCheckMs: number;
  readonly maxTargetLength: number;
  /** Request line and header fields. More than the longest target, so that it can be answered with 414. */
  readonly maxHeaderBytes: number;
}

const LIMITS: ServerLimits = {
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 65_000,
  silenceTimeoutMs: 60_000,
  timeoutCheckMs: 5_000,
  maxTargetLength: 8192,
  maxHeaderBytes: 98_304,
  leaveMs: 1_000,
  graceMs: 20_000,
};

export interface GatewayServer {
  /** Starts to accept connections; port 0 takes any free one. Fails with Node's error, such as EADDRINUSE. */
  listen(host: string, port: number): Promise<AddressInfo>;
  /** Puts other parts in the place of the present ones, for requests from now on. */
  replaceParts(parts: readonly Part[]): void;
  /** Stops without failing a request; resolves when the last connection is closed. */
  close(): Promise<void>;
}

/** Assembles the HTTP server: request id, access log, then the parts under helmet's header fields. */
export function createServer(options: ServerOptions): GatewayServer {
  const limits = { ...LIMITS, ...options.limits };
  let closing: Promise<void> | undefined;
  const ground: Ground = {
    authenticate: options.authenticate ?? (() => ANONYMOUS),
    log: options.log,
    headers: securityHeaders(options.secure ?? false),
    maxTargetLength: limits.maxTargetLength,
    isStopping: () => closing !== undefined,
  };
  const mountAll = (parts: readonly Part[]): readonly Mount[] => mountParts([...parts, ...ownParts], ground);
  const ownParts = [
    healthPart(options.isReady ?? (() => true), ground.isStopping),
    landingPart(options.landing),
  ];
  let mounts = mountAll(options.parts);
  const server = listenWith(
    requestListener(options.log, (request, response) => serve(mounts, request, response)),
    limits,
  );
  const connections = trackConnections(server);
  return {
    listen: (host, port) => listen(server, host, port),
    replaceParts: (parts) => {
      mounts = mountAll(parts);
    },
    close: () => {
      closing ??= drain(server, connections, limits).then((complete) => {
        if (!complete) options.log.warn({}, 'requests were cut off at the end of the grace');
      });
      return closing;
    },
  };
}

interface Mount {
  readonly path: string;
  readonly serve: Serve;
}

function mountParts(parts: readonly Part[], ground: Ground): readonly Mount[] {
  return parts
    .map((part) => ({
      path: part.path,
      serve: 'handler' in part ? handlerAdapter(part, ground) : listenerAdapter(part, ground),
    }))
    .sort((a, b) => b.path.length - a.path.length);
}

// The last mount is the one at the root: it also answers what is no path at all, such as `OPTIONS *`.
function serve(mounts: readonly Mount[], request: IncomingMessage, response: ServerResponse): Promise<void> {
  const target = request.url ?? '';
  const mount = mounts.find(({ path }) => isBelow(path, target)) ?? mounts.at(-1);
  if (mount === undefined) throw new Error('Nothing is mounted at the root.');
  return mount.serve(request, response, target.slice(mount.path.length));
}

type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Express's router without its application, which would also change the prototypes of every request and
 * response: half as much again as all of the router's work, for methods that nobody here calls.
 */
function requestListener(
  log: Logger,
  serveParts: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): RequestListener {
  const router = Router();
  router.use(identifyRequest);
  if (log.isLevelEnabled('info')) router.use(logAccess(log));
  router.use(serveParts);
  return (request, response) => {
    request.url = originForm(request.url ?? '');
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
}

function listenWith(listener: RequestListener, limits: ServerLimits): Server {
  const current = new WeakMap<object, ServerResponse>();
  const answer: RequestListener = (request, response) => {
    current.set(request.socket, response);
    listener(request, response);
  };
  const server = createHttpServer(
    {
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      connectionsCheckingInterval: limits.timeoutCheckMs,
      maxHeaderSize: limits.maxHeaderBytes,
      // A missing Host is answered by the part, in its protocol.
      requireHostHeader: false,
    },
    answer,
  );
  server.timeout = limits.silenceTimeoutMs;
  server.on('checkContinue', answer);
  server.on('clientError', (error, socket) => answerClientError(error, socket, current.get(socket)));
  return server;
}

function listen(server: Server, host: string, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('The server has no port.'));
      else resolve(address);
    });
  });
}
