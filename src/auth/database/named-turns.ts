/** Has things of the same name done one after the other, in the order in which they were asked for. */
export class NamedTurns {
  readonly #last = new Map<string, Promise<unknown>>();

  take<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const done = (this.#last.get(name) ?? Promise.resolve()).then(work);
    const settled = done
      .catch(() => undefined)
      .then(() => {
        if (this.#last.get(name) === settled) this.#last.delete(name);
      });
    this.#last.set(name, settled);
    return done;
  }
}
