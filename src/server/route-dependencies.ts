import type { GatewayRequest } from '../contract/exchange.ts';
import type { MemoryAllowance } from '../contract/memory-allowance.ts';
import type { Principal } from '../contract/principal.ts';
import type { CrossOrigin, PageCheck } from './cross-origin.ts';
import type { AnswerDependencies, BodyAllowance } from './http-message.ts';
import type { Admission } from './http-server.ts';
import type { Metrics } from './metrics.ts';

/** Determines the principal; throws a GatewayError for an invalid credential. */
export type Authenticate = (request: GatewayRequest) => Principal | Promise<Principal>;

/** The dependencies of all routes. */
export interface RouteDependencies extends AnswerDependencies {
  readonly authenticate: Authenticate;
  /** Header fields of every response, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly maxTargetLength: number;
  /** Time limit for a complete body; for a stream, for its next data. */
  readonly bodyTimeout: number;
  /** Limits all request bodies together. */
  readonly bodies: BodyAllowance;
  readonly admission: Admission;
  readonly memory: MemoryAllowance | undefined;
  readonly crossOrigin: CrossOrigin;
  readonly checkPage: PageCheck;
  readonly metrics: Metrics;
}
