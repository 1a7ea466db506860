const RESERVE = 10;

/**
 * Keeps repeated calls to a share of all calls, so that they do not double the load of an upstream
 * that is failing under load. A reserve lets a rarely used gateway repeat a call too.
 */
export class RetryBudget {
  readonly #share: number;
  #left = RESERVE;

  constructor(share: number) {
    this.#share = share;
  }

  earn(): void {
    this.#left = Math.min(RESERVE, this.#left + this.#share);
  }

  /** True where one more call may be repeated: it is then paid for. */
  spend(): boolean {
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
