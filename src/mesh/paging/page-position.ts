/** What a page of a list is asked for by. */
export type PagePosition =
  | { readonly kind: 'first' }
  /** The request's target, without what the source itself adds to it. */
  | { readonly kind: 'target'; readonly target: string }
  | { readonly kind: 'cursor'; readonly value: string }
  | { readonly kind: 'lastKey'; readonly value: string }
  | { readonly kind: 'page'; readonly number: number }
  | { readonly kind: 'offset'; readonly number: number };

/** A page that is asked for next. */
export interface PageStep {
  readonly position: PagePosition;
  /** How many items are asked for; undefined where nothing is said of that. */
  readonly asked: number | undefined;
  /** How many items of the list are before the page. */
  readonly before: number;
  /** How many of the page's items are not wanted. */
  readonly drop: number;
  /** Earlier pages said where the next one is. */
  readonly isTold: boolean;
  /** The page is asked for to see whether there is one, although the one before says that it is the last. */
  readonly isProbe: boolean;
}

/** What is learned from the first page that is read. */
export interface Learned {
  /** How many items it has. */
  readonly length: number;
  /** The number of the first page of the list; undefined as long as nobody knows. */
  readonly first: 0 | 1 | undefined;
  /** Tells the page from others; undefined where nothing does. */
  readonly identity: string | undefined;
}

/**
 * An earlier page of a list that is read in parts, by which a page that comes again is known: it stays at one page while
 * others pass, twice as many each time (Brent's algorithm), so that it finds every circle and needs no more room.
 */
export interface PageMark {
  readonly digest: string;
  /** How many items were before the page. */
  readonly before: number;
  /** How many pages have passed since. */
  readonly passed: number;
  /** How many may. */
  readonly span: number;
}

export const FIRST_PAGE: PagePosition = { kind: 'first' };

/** Where a list goes on, with what is known of it. */
export interface ListPosition {
  readonly step: PageStep;
  readonly learned: Learned;
  readonly mark: PageMark | undefined;
}

export function writePosition({ step, learned, mark }: ListPosition): string {
  const { position, asked, before, drop, isTold, isProbe } = step;
  const { length, first, identity } = learned;
  // Once its number is known, the first page is not looked for any more.
  const known = [length, first ?? null, first === undefined ? (identity ?? null) : null];
  return JSON.stringify([position, asked ?? null, before, drop, isTold, isProbe, ...known, mark ?? null]);
}

type Written = [
  PagePosition,
  number | null,
  number,
  number,
  boolean,
  boolean,
  number,
  0 | 1 | null,
  string | null,
  PageMark | null,
];

/** Reads what {@link writePosition} has written: whoever keeps it sees to it that nobody changes it. */
export function readPosition(text: string): ListPosition {
  const [position, asked, before, drop, isTold, isProbe, length, first, identity, mark] = JSON.parse(
    text,
  ) as Written;
  return {
    step: { position, asked: asked ?? undefined, before, drop, isTold, isProbe },
    learned: { length, first: first ?? undefined, identity: identity ?? undefined },
    mark: mark ?? undefined,
  };
}
