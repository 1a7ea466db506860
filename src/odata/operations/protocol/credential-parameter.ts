import type { BudgetedRequest } from '../../../contract/exchange.ts';
import { takeParameter } from '../../../contract/query-parameter.ts';

/**
 * The request without the query parameter that may hold a credential, so that no link repeats it. Who asks is
 * known by then: the requests of a batch are made by whoever sent the batch (Part 1, 11.7).
 */
export function withoutCredential(request: BudgetedRequest, parameter: string | undefined): BudgetedRequest {
  const taken = parameter === undefined ? undefined : takeParameter(request.target, parameter);
  return taken === undefined ? request : { ...request, target: taken.target };
}
