import type { IncomingMessage, ServerResponse } from 'node:http';
import { type GatewayRequest, handedOn } from '../contract/exchange.ts';
import { clientClosed, signInRequired } from '../contract/gateway-error.ts';
import type { Log } from '../contract/log.ts';
import type { MemoryAllowance } from '../contract/memory-allowance.ts';
import { ANONYMOUS, type Principal } from '../contract/principal.ts';
import { requestId } from './access-log.ts';
import type { Admission } from './admission.ts';
import { atClose } from './at-close.ts';
import type { CrossOrigin, PageCheck } from './cross-origin.ts';
import type { Metrics } from './metrics.ts';
import { type BodyAllowance, mayExceed } from './request-body.ts';
import type { Route } from './route.ts';
import type { ReaderLimits } from './server-limits.ts';

/** Says who is asking; throws a GatewayError where a credential is shown that is no good. */
export type Authenticate = (request: GatewayRequest) => Principal | Promise<Principal>;

/** What all parts of a server stand on. */
export interface RouteDependencies {
  readonly authenticate: Authenticate;
  readonly log: Log;
  /** Header fields of every answer, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly maxTargetLength: number;
  /** Until the body of a request is complete; for a body that is handed on as it comes, until more of it does. */
  readonly bodyTimeout: number;
  /** For the bodies of all requests together. */
  readonly bodies: BodyAllowance;
  readonly admission: Admission;
  readonly memory: MemoryAllowance | undefined;
  /** How slowly clients may read. */
  readonly reading: ReaderLimits;
  readonly crossOrigin: CrossOrigin;
  readonly checkPage: PageCheck;
  /** Undefined where nobody wants to know. */
  readonly metrics: Metrics | undefined;
  readonly isStopping: () => boolean;
}

/** Serves one request and never fails. The target is what is below the route's path. */
export type Serve = (request: IncomingMessage, response: ServerResponse, target: string) => Promise<void>;

/** What is known of a request before anybody has looked at it: nobody asks, and it has no body. */
export function receive(request: IncomingMessage, response: ServerResponse, target: string): GatewayRequest {
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
export function assertSignedIn(route: Route, { kind }: Principal, request: IncomingMessage): void {
  if (kind === 'anonymous' && route.open !== true && mayExceed(request, 0)) throw signInRequired();
}

export function bodyLimit(route: Route, target: string): number {
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
