/** What applying an overlay may cost; who wrote it may be anybody. */
export interface Effort {
  /** Throws {@link TooMuchEffort} when there is no more to spend. */
  spend(steps: number): void;
}

export class TooMuchEffort extends Error {}

/** A step is a value that is looked at, compared, copied, or a character that a pattern is held against. */
export function limitedEffort(steps: number): Effort {
  let left = steps;
  return {
    spend(more) {
      left -= more;
      if (left < 0) throw new TooMuchEffort();
    },
  };
}
