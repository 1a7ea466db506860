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

export const FIRST_PAGE: PagePosition = { kind: 'first' };

/** What a list has been read to, as a text. */
export function writeStep({ position, asked, before, drop, isTold }: PageStep): string {
  return JSON.stringify([position, asked ?? null, before, drop, isTold]);
}

/** Reads what {@link writeStep} has written: whoever keeps it sees to it that nobody changes it. */
export function readStep(text: string): PageStep {
  const [position, asked, before, drop, isTold] = JSON.parse(text) as [
    PagePosition,
    number | null,
    number,
    number,
    boolean,
  ];
  return { position, asked: asked ?? undefined, before, drop, isTold, isProbe: false };
}
