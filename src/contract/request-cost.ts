import { isAdministrator, type Principal } from './principal.ts';

/** Counts the upstream calls of one request. */
export class RequestCost {
  calls = 0;
  pages = 0;
  rows = 0;
  #underWay = 0;
  #begun = 0;
  #waited = 0;

  /** Milliseconds during which at least one call was running. */
  get waiting(): number {
    return this.#waited + (this.#underWay > 0 ? performance.now() - this.#begun : 0);
  }

  begin(): void {
    this.calls += 1;
    if (this.#underWay === 0) this.#begun = performance.now();
    this.#underWay += 1;
  }

  end(): void {
    this.#underWay -= 1;
    if (this.#underWay === 0) this.#waited += performance.now() - this.#begun;
  }
}

/** The value of Server-Timing; undefined for principals that may not see it, and without calls. */
export function serverTiming(cost: RequestCost, principal: Principal): string | undefined {
  const isOpen = principal.kind === 'unrestricted';
  const isShown = isOpen || (principal.kind === 'user' && isAdministrator(principal));
  if (!isShown || cost.calls === 0) return undefined;
  const { calls, pages, rows, waiting } = cost;
  const counts = Object.entries({ calls, pages, rows }).map(([name, count]) => `${name};desc="${count}"`);
  return [...counts, `waiting;dur=${waiting.toFixed(1)}`].join(', ');
}
