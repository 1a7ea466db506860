import type { ValueBounds } from './value-bounds.ts';

/**
 * A place in an answer: upstream names of properties, each of the object that the one before it holds. `data.items` is
 * `['data', 'items']`.
 */
export type AnswerPath = readonly string[];

/** How a list that comes in pages is asked for, and what its answers say of them. Parameters have their names in the mesh. */
export interface Paging {
  /** How many items a page has; undefined where nobody can ask for it. */
  readonly size: PageSize | undefined;
  /** How another page than the first is asked for, the surest way first. */
  readonly ways: readonly PageWay[];
  /** What the document says that answers say. */
  readonly tells: PagesTold;
  /** Where `x-odata` or a vendor's extension says that it stands, whatever it is called there. */
  readonly places: SignPlaces;
  /** An answer may have a page, and a link to the next one. Else it has all that is asked for. */
  readonly onward: boolean;
}

/** A parameter that the gateway gives a value to, and the values that the document allows for it. */
export interface GivenParameter {
  readonly name: string;
  /** It has to be given with each call. */
  readonly required: boolean;
  readonly values: ValueBounds;
}

export interface PageSize {
  readonly parameter: GivenParameter;
  /** What is asked for where all items are wanted; undefined leaves it to the upstream. */
  readonly largest: number | undefined;
  /** The document bounds it: a page with fewer items than were asked for is then the last one. */
  readonly sure: boolean;
}

export type PageWay =
  /** By what an answer says of the next page. */
  | { readonly kind: 'cursor'; readonly parameter: GivenParameter }
  /** By the key of the last item: the upstream name of its property, or that of the entity's key. */
  | { readonly kind: 'lastKey'; readonly parameter: GivenParameter; readonly property: string | undefined }
  /** By the number of the page; undefined where nothing says which number the first page has. */
  | { readonly kind: 'page'; readonly parameter: GivenParameter; readonly first: 0 | 1 | undefined }
  /** By the number of items before it, plus that of the first. */
  | { readonly kind: 'offset'; readonly parameter: GivenParameter; readonly first: 0 | 1 };

export interface PagesTold {
  /** The next page: its URL, or what to ask for it by. */
  readonly next: boolean;
  /** Whether there is one. */
  readonly more: boolean;
  /** How many items all pages have. */
  readonly total: boolean;
}

export interface SignPlaces {
  readonly next?: AnswerPath | undefined;
  readonly more?: AnswerPath | undefined;
  readonly total?: AnswerPath | undefined;
}
