import { createHash, randomInt } from 'node:crypto';
import { ExactNumber } from '../../core/exact-number.ts';
import {
  isAboutAnswer,
  isAround,
  isPageContainer,
  NEXT_RANKS,
  type NextRank,
  type PageWord,
  pageWord,
} from '../../model/answer-words.ts';
import { type EntityType, upstreamPath } from '../../model/edm.ts';
import type { AnswerPath, ListOperation, SignPlaces } from '../../model/operation.ts';
import { badResponse } from '../exchange/upstream-failure.ts';
import { assertListEnvelope } from '../reading/list-envelope.ts';
import { valueAt } from '../reading/row-reader.ts';

/** The paging members in the body of a list's response. */
export interface BodySigns {
  /** Candidates for the next page, the most reliable first. */
  readonly next: readonly NextSign[];
  /** True if a paging member says that this is the last page. */
  readonly isLast: boolean;
  /** The flag for further pages, if present. */
  readonly more: boolean | undefined;
  readonly total: TotalSign | undefined;
  /** The number of all pages. */
  readonly pages: number | undefined;
  /** The number of this page. */
  readonly page: number | undefined;
  /** Identifies the page by its first item, if possible. */
  readonly identity: string | undefined;
  /** The key of the last item. */
  readonly lastKey: string | undefined;
  /** The answer has the member of the list, empty or not. */
  readonly hasList: boolean;
  /** A number for the key of each item, NaN for an item without one; undefined unless keys and paging are documented. */
  readonly keys: Float64Array | undefined;
}

export interface NextSign {
  readonly value: string;
  readonly rank: NextRank;
}

export interface TotalSign {
  readonly count: number;
  /** True if the number cannot be the count of this page's items. */
  readonly sure: boolean;
}

/** Reads what the body says, once it is known what the items are. */
export type SignReader = (source: unknown) => BodySigns;

const NO_ENTITIES = { key: [], structuralProperties: new Map() };

/** Compiles the reading of what the answers of a list say of its pages. */
export function signReader(
  { wrappedIn = [], paging, envelope }: Pick<ListOperation, 'wrappedIn' | 'paging' | 'envelope'>,
  { key, ...type }: Pick<EntityType, 'key' | 'structuralProperties'> = NO_ENTITIES,
): SignReader {
  // What the call is given is the same for all of the list.
  const properties = key
    .map((name) => type.structuralProperties.get(name))
    .filter((property) => property?.argument !== true);
  const paths = properties.flatMap((property) => (property === undefined ? [] : [upstreamPath(property)]));
  const isKeyed = paths.length > 0 && paths.length === properties.length;
  const lastWay = paging?.ways.find(({ kind }) => kind === 'lastKey');
  const declared = lastWay?.kind === 'lastKey' ? lastWay.property : undefined;
  const keyPath =
    declared === undefined ? (isKeyed && paths.length === 1 ? paths[0] : undefined) : [declared];
  return (source) => {
    const list = valueAt(source, wrappedIn);
    if (!Array.isArray(list)) assertListEnvelope(source, envelope);
    const items: readonly unknown[] = Array.isArray(list) ? list : [];
    const signs =
      wrappedIn.length === 0
        ? NO_SIGNS
        : membersIn(source, wrappedIn, paging?.places ?? {}, paging !== undefined);
    return {
      ...signs,
      identity: isKeyed ? keyOf(items[0], paths) : paging && digestOf(items),
      lastKey: keyPath === undefined ? undefined : keyText(valueAt(items.at(-1), keyPath)),
      hasList: list !== undefined,
      keys: isKeyed && paging !== undefined ? keyNumbers(items, paths) : undefined,
    };
  };
}

type BodyMembers = Omit<BodySigns, 'identity' | 'lastKey' | 'hasList' | 'keys'>;

/** The signs of an answer that says nothing. */
export const NO_SIGNS: BodySigns = {
  next: [],
  isLast: false,
  more: undefined,
  total: undefined,
  pages: undefined,
  page: undefined,
  identity: undefined,
  lastKey: undefined,
  hasList: true,
  keys: undefined,
};

interface Sign {
  readonly word: PageWord;
  readonly value: unknown;
}

function membersIn(source: unknown, list: AnswerPath, places: SignPlaces, isPaged: boolean): BodyMembers {
  const signs: Sign[] = [];
  gatherSigns(source, list, [], signs);
  const total = isAboutList(source) || isPaged ? totalIn(signs) : undefined;
  const more = places.more === undefined ? moreIn(signs) : truth(valueAt(source, places.more));
  const next = places.next === undefined ? signs : [{ word: NEXT, value: valueAt(source, places.next) }];
  return {
    ...nextIn(next),
    more,
    total: places.total === undefined ? total : totalAt(source, places.total),
    pages: numberIn(signs, 'pages'),
    page: numberIn(signs, 'page'),
  };
}

/** Whether an answer has nothing beside its list but what is said of it: a number is then that of its items. */
function isAboutList(source: unknown): boolean {
  return Object.entries(source as object).every(
    ([name, value]) => value === null || isObject(value) || isAboutAnswer(name),
  );
}

const NEXT: PageWord = { kind: 'next', rank: 'either' };

/** An answer has few members; one with more is not about pages. */
const MOST_MEMBERS = 64;
const DEEPEST = 4;

function gatherSigns(object: unknown, list: AnswerPath, path: AnswerPath, signs: Sign[]): void {
  if (typeof object !== 'object' || object === null || Array.isArray(object)) return;
  for (const name of Object.keys(object).slice(0, MOST_MEMBERS)) {
    const value = (object as Readonly<Record<string, unknown>>)[name];
    if (Array.isArray(value)) continue;
    const place = [...path, name];
    if (isObject(value)) {
      const isContainer = isPageContainer(name) || isAround(list, place);
      if (place.length < DEEPEST && isContainer) gatherSigns(value, list, place, signs);
      continue;
    }
    const word = pageWord(place);
    if (word !== undefined) signs.push({ word, value });
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !(value instanceof Number);
}

function nextIn(signs: readonly Sign[]): Pick<BodyMembers, 'next' | 'isLast'> {
  const found = signs.flatMap(({ word, value }) =>
    word.kind === 'next' ? [{ rank: word.rank, value }] : [],
  );
  // What may be about this page is not looked at beside what is about the next one.
  const strong = found.filter(({ rank }) => rank !== 'weak');
  const next = (strong.length === 0 ? found : strong)
    .flatMap(({ rank, value }) => {
      const text = keyText(value);
      return text === undefined || NONE.has(text) ? [] : [{ rank, value: text }];
    })
    .toSorted((a, b) => NEXT_RANKS.indexOf(a.rank) - NEXT_RANKS.indexOf(b.rank));
  return { next, isLast: next.length === 0 && strong.length > 0 };
}

/** Values that mean that there is no next page. */
const NONE: ReadonlySet<string> = new Set(['', '0', 'false', 'null']);

function moreIn(signs: readonly Sign[]): boolean | undefined {
  for (const { word, value } of signs) {
    if (typeof value !== 'boolean') continue;
    if (word.kind === 'more') return value;
    if (word.kind === 'last') return !value;
  }
  return undefined;
}

function truth(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

/** The one that is sure, else the only one. */
function totalIn(signs: readonly Sign[]): TotalSign | undefined {
  const totals = signs.flatMap(({ word, value }) => {
    const count = countOf(value);
    return word.kind !== 'total' || count === undefined ? [] : [{ count, sure: word.sure }];
  });
  return totals.find(({ sure }) => sure) ?? totals[0];
}

/** A declared total must be present. */
function totalAt(source: unknown, place: AnswerPath): TotalSign {
  const count = countOf(valueAt(source, place));
  if (count === undefined) throw badResponse(`${place.join('.')}: expected a number of entities`);
  return { count, sure: true };
}

function numberIn(signs: readonly Sign[], kind: 'page' | 'pages'): number | undefined {
  return signs.flatMap(({ word, value }) => (word.kind === kind ? (countOf(value) ?? []) : []))[0];
}

/** A number of things, which may have come as text; undefined for anything else. */
export function countOf(value: unknown): number | undefined {
  const isNumeric = typeof value === 'number' || (typeof value === 'string' && /^\d{1,15}$/.test(value));
  const count = isNumeric ? Number(value) : Number.NaN;
  return Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

function keyOf(item: unknown, paths: readonly AnswerPath[]): string | undefined {
  const values = paths.map((path) => keyText(valueAt(item, path)));
  return values.includes(undefined) ? undefined : JSON.stringify(values);
}

/** The text of a key as it would be sent. */
function keyText(value: unknown): string | undefined {
  if (value instanceof ExactNumber) return value.text;
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'bigint' || value === false
    ? String(value)
    : undefined;
}

function keyNumbers(items: readonly unknown[], paths: readonly AnswerPath[]): Float64Array {
  const [only = [], ...others] = paths;
  return Float64Array.from(items, (item) => {
    if (others.length > 0) return numberOfText(keyOf(item, paths));
    const key = valueAt(item, only);
    return typeof key === 'number' && Number.isSafeInteger(key) ? key : numberOfText(keyText(key));
  });
}

/** Differs from process to process, so that no text is known to collide with another one. */
const SEED = randomInt(2 ** 32);

/** A hash of 52 bits, below 0 to keep apart from numeric keys. */
function numberOfText(text: string | undefined): number {
  if (text === undefined) return Number.NaN;
  let [high, low] = [SEED ^ text.length, 0x41c6ce57 ^ SEED];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 0x9e3779b1);
    low = Math.imul(low ^ code, 0x5f356495);
    high ^= high >>> 15;
    low ^= low >>> 13;
  }
  return -(2 ** 32 * (high & 0xfffff) + (low >>> 0)) - 1;
}

function digestOf(items: readonly unknown[]): string | undefined {
  if (items.length === 0) return undefined;
  const text = JSON.stringify(items, (_, value) => (typeof value === 'bigint' ? String(value) : value));
  return createHash('sha1').update(text).digest('base64url');
}
