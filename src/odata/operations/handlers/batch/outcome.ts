import type { WholeResponse } from '../../../../contract/exchange.ts';
import { GatewayError } from '../../../../contract/gateway-error.ts';
import { quote } from '../../../../engine/input/mistakes.ts';

/** What has come of a request or a change set, for those that depend on it or refer to it. */
export type Outcome =
  | { readonly kind: 'failed' }
  /** Nothing was sent: the target stands for one that is not known yet. */
  | { readonly kind: 'rehearsed'; readonly target: string | undefined }
  | {
      readonly kind: 'done';
      readonly target: string | undefined;
      /** Undefined for a change set as a whole. */
      readonly response: WholeResponse | undefined;
    };

export type Outcomes = ReadonlyMap<string, Outcome>;

export function failedDependency(id: string): GatewayError {
  return new GatewayError('FailedDependency', `This request needs what ${quote(id)} did not bring about.`);
}
