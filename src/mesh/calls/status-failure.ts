import type { GatewayError } from '../../contract/gateway-error.ts';
import type { UpstreamAnswer } from '../exchange/upstream-exchange.ts';
import { badResponse, type Refusal, upstreamFailure } from '../exchange/upstream-failure.ts';
import type { HttpField } from '../fields/http-field.ts';

/** What a refusal means where it is the client's input that is refused. */
export const REFUSALS: ReadonlyMap<number, Refusal> = new Map([
  [400, 'BadRequest'],
  [409, 'Conflict'],
  [410, 'Gone'],
  [412, 'PreconditionFailed'],
  [413, 'PayloadTooLarge'],
  [422, 'UnprocessableContent'],
  [428, 'PreconditionRequired'],
]);

/** Where the client gives nothing, the mistake is not the client's. */
export const NO_REFUSALS: ReadonlyMap<number, Refusal> = new Map();

/**
 * What an answer of any other status than those of success means. 404 says that there is nothing by the key
 * in the path; where the path has none, that the upstream is not what it should be.
 */
export function statusFailure(
  field: HttpField,
  answer: UpstreamAnswer,
  refusals: ReadonlyMap<number, Refusal>,
): GatewayError {
  const { cause } = badResponse(`${field.method} was answered with status ${answer.status}`, answer.body);
  if (answer.status === 404 && field.pathArguments.length > 0) return upstreamFailure('NotFound', cause);
  return upstreamFailure(refusals.get(answer.status) ?? 'UpstreamBadResponse', cause);
}
