import { ownerName } from '../../../../contract/owner-name.ts';
import type { Principal } from '../../../../contract/principal.ts';
import { type BudgetLimits, RequestBudget } from '../../../../contract/request-budget.ts';

/** What one request that is answered later has of what any other may take. */
const SHARE = 0.25;

/** The budget of a request that is answered later, until that is done. */
interface DeferredBudget {
  readonly budget: RequestBudget;
  readonly close: () => void;
}

/**
 * Gives each request that is answered later a share of a budget, and all those of one owner that are worked on at a
 * time not more than a single one together: nobody has to wait for them, so there may be many.
 */
export function createDeferredBudgets(
  limits: BudgetLimits,
): (owner: Principal, signal: AbortSignal) => DeferredBudget {
  const owners = new Map<string, { readonly whole: RequestBudget; requests: number }>();
  const { rows, items, characters, milliseconds, answerBytes } = limits;
  const share: BudgetLimits = {
    ...limits,
    rows: rows * SHARE,
    items: items * SHARE,
    characters: characters * SHARE,
    milliseconds: milliseconds * SHARE,
    answerBytes: answerBytes * SHARE,
  };
  return (principal, signal) => {
    const name = ownerName(principal);
    const owner = owners.get(name) ?? { whole: new RequestBudget(limits), requests: 0 };
    owners.set(name, owner);
    owner.requests += 1;
    const budget = new RequestBudget(share, signal, owner.whole);
    return {
      budget,
      close() {
        budget.release();
        owner.requests -= 1;
        if (owner.requests === 0) owners.delete(name);
      },
    };
  };
}
