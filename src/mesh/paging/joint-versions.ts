import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** So many states of lists are known by the states of their pages. */
const STATES_KEPT = 1_000;

/**
 * Names the state of a list that was read in pages by one number: the same as long as all pages have the same. The
 * numbers are below 0, where those of single answers are not.
 */
export class JointVersions {
  readonly #known = new LRUCache<string, number>({ max: STATES_KEPT });
  #last = 0;

  /** Undefined where the state of a page has no name. */
  of(versions: readonly (number | undefined)[]): number | undefined {
    const [only, ...others] = versions;
    if (others.length === 0) return only;
    if (versions.includes(undefined)) return undefined;
    const key = createHash('sha1').update(versions.join()).digest('base64url');
    const known = this.#known.get(key) ?? --this.#last;
    this.#known.set(key, known);
    return known;
  }
}
