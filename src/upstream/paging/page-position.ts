/** The address of one page of a list, relative to the list's operation. */
export type PagePosition =
  | { readonly kind: 'first' }
  /** A request target, without the parameters that the source adds to every call. */
  | { readonly kind: 'target'; readonly target: string }
  | { readonly kind: 'cursor'; readonly value: string }
  | { readonly kind: 'lastKey'; readonly value: string }
  | { readonly kind: 'page'; readonly number: number }
  | { readonly kind: 'offset'; readonly number: number }
  /** The list from its beginning once more, on a larger page. */
  | { readonly kind: 'larger'; readonly size: number };

export const FIRST_PAGE: PagePosition = { kind: 'first' };

export function isSamePosition(one: PagePosition, other: PagePosition): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The request of one page. */
export interface PageStep {
  readonly position: PagePosition;
  /** Requested page size; undefined if the request names none. */
  readonly size: number | undefined;
  /** Number of items on the pages before this one. */
  readonly before: number;
  /** Number of items at the beginning of the page that the caller does not want. */
  readonly drop: number;
  /** An earlier page declared its next page. */
  readonly isLinked: boolean;
  /** The page before may be the last one: an empty page, or a refusal, then ends the list. */
  readonly isProbe: boolean;
}

/** Facts about a list that its earlier pages have shown. */
export interface LearnedPosition {
  /** Number of items on the longest page so far. */
  readonly longest: number;
  /** Number of the first page; undefined while unknown. */
  readonly first: 0 | 1 | undefined;
  /** Identity of the first page that was read; undefined if its rows have no key. */
  readonly identity: string | undefined;
  /** Largest credible total so far. */
  readonly total: number | undefined;
  /** An earlier page had the list, empty or not. */
  readonly hadList: boolean;
}

/**
 * An earlier page of a list that is read across several requests, by which a repeated page is recognized. The mark stays
 * at one page while others pass, twice as many each time (Brent's algorithm), so it finds every cycle in constant space.
 */
export interface PageMark {
  /** Digest of the position that the page was requested by; undefined for numbers, which only grow. */
  readonly position: string | undefined;
  /** Digest of the page's first key; undefined if its rows have no key. */
  readonly identity: string | undefined;
  /** Number of items before the page. */
  readonly before: number;
  /** Number of pages that have passed since. */
  readonly passed: number;
  /** Number of pages after which the mark moves on. */
  readonly span: number;
}

/** The continuation of a list in a later request. */
export interface ListPosition {
  readonly step: PageStep;
  readonly learned: LearnedPosition;
  /** The page before, and an earlier one. */
  readonly marks: readonly PageMark[];
}

/** Values without their names: the text is a part of URLs. */
export function writePosition({ step, learned, marks }: ListPosition): string {
  const { position, size, before, drop, isLinked, isProbe } = step;
  const { longest, first, identity, total, hadList } = learned;
  const written: WrittenPosition = [
    [position, size ?? null, before, drop, isLinked, isProbe],
    [longest, first ?? null, identity ?? null, total ?? null, hadList],
    marks.map((mark) => [mark.position ?? null, mark.identity ?? null, mark.before, mark.passed, mark.span]),
  ];
  return JSON.stringify(written);
}

type WrittenPosition = readonly [
  readonly [PagePosition, number | null, number, number, boolean, boolean],
  readonly [number, 0 | 1 | null, string | null, number | null, boolean],
  readonly (readonly [string | null, string | null, number, number, number])[],
];

/** Reads the text of {@link writePosition}; its keeper protects it from changes. */
export function readPosition(text: string): ListPosition {
  const [step, learned, marks] = JSON.parse(text) as WrittenPosition;
  const [position, size, before, drop, isLinked, isProbe] = step;
  const [longest, first, identity, total, hadList] = learned;
  return {
    step: { position, size: size ?? undefined, before, drop, isLinked, isProbe },
    learned: {
      longest,
      first: first ?? undefined,
      identity: identity ?? undefined,
      total: total ?? undefined,
      hadList,
    },
    marks: marks.map(([place, key, count, passed, span]) => ({
      position: place ?? undefined,
      identity: key ?? undefined,
      before: count,
      passed,
      span,
    })),
  };
}
