import { type BudgetLimits, RequestBudget } from '../../src/contract/request-budget.ts';
import { DEFAULT_REQUEST_LIMITS } from '../../src/core/request-limits.ts';

/** A budget of its own, with the limits that are not given as they are by default. */
export function budget(limits: Partial<BudgetLimits> = {}): RequestBudget {
  return new RequestBudget({ ...DEFAULT_REQUEST_LIMITS.budget, ...limits });
}
