import type { RequestBudget } from '../../contract/request-budget.ts';
import { nextTurn } from '../../contract/turns.ts';

/** Objects that are completed at a stretch: with all that is selected of them, that takes a few milliseconds. */
const AT_ONCE = 256;

/**
 * Has an executor complete the objects of an answer in stretches, wherever in it they are: between these others go
 * first, and each is charged to the request. An executor that has all items of a list completes all of them at once.
 */
export class Stretches {
  readonly #budget: Pick<RequestBudget, 'chargeTime'>;
  #room = AT_ONCE;
  /** When those are completed that have been put off last. */
  #turn: Promise<void> | undefined;

  constructor(budget: Pick<RequestBudget, 'chargeTime'>) {
    this.#budget = budget;
  }

  /** The items of a list, those that have to wait as promises. */
  inTurns(items: readonly unknown[]): readonly unknown[] {
    return items.length <= this.#room && this.#turn === undefined
      ? this.#atOnce(items)
      : items.map((item) => this.#next(item));
  }

  #atOnce(items: readonly unknown[]): readonly unknown[] {
    this.#room -= items.length;
    return items;
  }

  #next(item: unknown): unknown {
    if (this.#room === 0) {
      this.#turn = (this.#turn ?? Promise.resolve()).then(() => this.#pause());
      this.#room = AT_ONCE;
    }
    this.#room -= 1;
    return this.#turn === undefined ? item : this.#turn.then(() => item);
  }

  /** What is ready is completed before Node comes to the next tick; then others go first. */
  async #pause(): Promise<void> {
    const start = performance.now();
    await new Promise<void>((resolve) => process.nextTick(resolve));
    this.#budget.chargeTime(performance.now() - start);
    await nextTurn();
  }
}
