import type { GatewayRequest } from '../contract/exchange.ts';
import type { MemoryAllowance } from '../contract/memory-allowance.ts';
import type { Principal } from '../contract/principal.ts';
import type { CrossOrigin, PageCheck } from './cross-origin.ts';
import type { AnswerDependencies, BodyAllowance } from './http-message.ts';
import type { Admission } from './http-server.ts';
import type { Metrics } from './metrics.ts';

/** Says who is asking; throws a GatewayError where a credential is shown that is no good. */
export type Authenticate = (request: GatewayRequest) => Principal | Promise<Principal>;

/** What all parts of a server stand on. */
export interface RouteDependencies extends AnswerDependencies {
  readonly authenticate: Authenticate;
  /** Header fields of every answer, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly maxTargetLength: number;
  /** Until the body of a request is complete; for a body that is handed on as it comes, until more of it does. */
  readonly bodyTimeout: number;
  /** For the bodies of all requests together. */
  readonly bodies: BodyAllowance;
  readonly admission: Admission;
  readonly memory: MemoryAllowance | undefined;
  readonly crossOrigin: CrossOrigin;
  readonly checkPage: PageCheck;
  readonly metrics: Metrics;
}
