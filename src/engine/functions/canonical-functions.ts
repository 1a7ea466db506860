import { LRUCache } from 'lru-cache';
import type { CurrentBudget } from '../../contract/request-budget.ts';
import type { Value } from '../../contract/row.ts';
import { isWellFormed, type SafeRegExp, safeRegExp } from '../../core/safe-regexp.ts';
import type { OpaqueTypeName, PrimitiveTypeName } from '../../model/type-use.ts';
import { commonType } from '../operators/coerce.ts';
import { equalityOf, type Same } from '../operators/equality.ts';
import type { BoundExpression, Evaluate } from '../scope/scope.ts';
import { type ExpressionType, itemType } from '../typing/expression-type.ts';
import {
  dateOf,
  dateTimeParts,
  durationOf,
  monthStart,
  PICOSECONDS,
  timeParts,
  writeDateTime,
} from '../values/date-time.ts';
import { type DecimalValue, divideDecimals, roundDecimal } from '../values/decimal.ts';
import { compilePolygon, distance, length } from '../values/geography.ts';

const STRING = 'Edm.String';
const TWO = [STRING, STRING] as const;

/** String functions (5.1.1.5 to 5.1.1.7). Case matters; characters are UTF-16 code units. */
const STRING_FUNCTIONS: readonly (readonly [string, readonly Signature[]])[] = [
  ['concat', [{ parameters: TWO, result: STRING, prepare: prepareConcat }]],
  ['contains', [signature(TWO, 'Edm.Boolean', (text: string, part: string) => text.includes(part))]],
  ['endswith', [signature(TWO, 'Edm.Boolean', (text: string, end: string) => text.endsWith(end))]],
  ['startswith', [signature(TWO, 'Edm.Boolean', (text: string, start: string) => text.startsWith(start))]],
  ['indexof', [signature(TWO, 'Edm.Int32', (text: string, part: string) => text.indexOf(part))]],
  ['length', [signature([STRING], 'Edm.Int32', (text: string) => text.length)]],
  ['tolower', [signature([STRING], STRING, (text: string) => text.toLowerCase())]],
  ['toupper', [signature([STRING], STRING, (text: string) => text.toUpperCase())]],
  ['trim', [signature([STRING], STRING, (text: string) => text.trim())]],
  [
    'substring',
    [
      { parameters: [STRING, 'Edm.Int32'], result: STRING, prepare: () => substringFrom },
      { parameters: [STRING, 'Edm.Int32', 'Edm.Int32'], result: STRING, prepare: prepareSubstring },
    ],
  ],
  [
    'matchespattern',
    [
      { parameters: TWO, result: 'Edm.Boolean', prepare: prepareMatch },
      { parameters: [...TWO, STRING], result: 'Edm.Boolean', prepare: prepareMatch },
    ],
  ],
];

const COLLECTION = 'collection';
const TWO_COLLECTIONS = [COLLECTION, COLLECTION] as const;

/** String functions of collections (5.1.1.5), which are overloads of those of strings. */
const STRING_FUNCTIONS_OF_COLLECTIONS: ReadonlyMap<string, readonly Signature[]> = new Map<
  string,
  readonly Signature[]
>([
  ['concat', [{ parameters: TWO_COLLECTIONS, result: 'argument', prepare: prepareCollectionConcat }]],
  ['contains', [comparing('Edm.Boolean', (items, part, same) => indexOf(items, part, same) >= 0)]],
  [
    'endswith',
    [comparing('Edm.Boolean', (items, end, same) => isAt(items, end, items.length - end.length, same))],
  ],
  ['startswith', [comparing('Edm.Boolean', (items, start, same) => isAt(items, start, 0, same))]],
  ['indexof', [comparing('Edm.Int32', indexOf)]],
  ['length', [signature([COLLECTION], 'Edm.Int32', (items: Items) => items.length)]],
  ['substring', [partOf([COLLECTION, 'Edm.Int32']), partOf([COLLECTION, 'Edm.Int32', 'Edm.Int32'])]],
]);

const DATE_TIME = 'Edm.DateTimeOffset';
const TIME = 'Edm.TimeOfDay';

/**
 * Date and time functions (5.1.1.8). They read a value in its own offset, and `now()` is the time at
 * which the run began, in UTC.
 */
const DATE_TIME_FUNCTIONS: readonly Entry[] = [
  ofDate('year', (text, month) => text.slice(0, month - 1)),
  ofDate('month', (text, month) => text.slice(month, month + 2)),
  ofDate('day', (text, month) => text.slice(month + 3, month + 5)),
  ofTime('hour', (time) => timeParts(time).hour),
  ofTime('minute', (time) => timeParts(time).minute),
  ofTime('second', (time) => timeParts(time).second),
  ofTime('fractionalseconds', (time) => Number(`0.${timeParts(time).fraction || '0'}`), 'Edm.Decimal'),
  [
    'totaloffsetminutes',
    [signature([DATE_TIME], 'Edm.Int32', (text: string) => dateTimeParts(text)?.offset ?? 0)],
  ],
  ['totalseconds', [signature(['Edm.Duration'], 'Edm.Decimal', totalSeconds)]],
  ['date', [signature([DATE_TIME], 'Edm.Date', dateOf)]],
  ['time', [signature([DATE_TIME], TIME, timeOf)]],
  ['mindatetime', [signature([], DATE_TIME, () => '0001-01-01T00:00:00Z')]],
  ['maxdatetime', [signature([], DATE_TIME, () => '9999-12-31T23:59:59.999999999999Z')]],
  ['now', [{ parameters: [], result: DATE_TIME, prepare: prepareNow }]],
];

/** Arithmetic functions (5.1.1.9): of the type of their argument. */
const ARITHMETIC_FUNCTIONS: readonly (readonly [string, readonly Signature[]])[] = [
  ['round', [rounding('round')]],
  ['floor', [rounding('floor')]],
  ['ceiling', [rounding('ceiling')]],
];

/** Collection functions (5.1.1.6). */
const COLLECTION_FUNCTIONS: readonly Entry[] = [
  ['hassubset', [comparing('Edm.Boolean', hasSubset)]],
  ['hassubsequence', [comparing('Edm.Boolean', hasSubsequence)]],
];

const POINT = 'Edm.GeographyPoint';

/** Geo functions (5.1.1.11), in metres on the sphere. A value that is not the shape it should be gives null. */
const GEO_FUNCTIONS: readonly (readonly [string, readonly Signature[]])[] = [
  ['geo.distance', [signature([POINT, POINT], 'Edm.Double', distance)]],
  ['geo.length', [signature(['Edm.GeographyLineString'], 'Edm.Double', length)]],
  [
    'geo.intersects',
    [{ parameters: [POINT, 'Edm.GeographyPolygon'], result: 'Edm.Boolean', prepare: prepareIntersects }],
  ],
];

/** The overloads of every canonical function (5.1.1.4) by its name in lower case. */
export const CANONICAL_FUNCTIONS: ReadonlyMap<string, readonly Signature[]> = new Map([
  ...STRING_FUNCTIONS.map(
    ([name, overloads]) =>
      [name, [...overloads, ...(STRING_FUNCTIONS_OF_COLLECTIONS.get(name) ?? [])]] as const,
  ),
  ...DATE_TIME_FUNCTIONS,
  ...ARITHMETIC_FUNCTIONS,
  ...COLLECTION_FUNCTIONS,
  ...GEO_FUNCTIONS,
]);

/** The type of a parameter: a type, any number, any collection, or a collection of a type. */
export type ParameterType = PrimitiveTypeName | OpaqueTypeName | 'numeric' | 'collection';

/** One overload of a canonical function. */
export interface Signature {
  readonly parameters: readonly ParameterType[];
  /** `argument` is the type of the first argument. */
  readonly result: ExpressionType | 'argument';
  readonly prepare: (call: CallSite) => Evaluate;
}

/** The call that a function is prepared for. */
export interface CallSite {
  readonly arguments: readonly BoundExpression[];
  readonly current: CurrentBudget;
  /** A BadRequest that points at the call. */
  readonly fail: (message: string) => never;
  /** A NotImplemented that points at the call. */
  readonly refuse: (what: string) => never;
}

/** An overload whose result depends on nothing but its arguments. */
function signature(
  parameters: readonly ParameterType[],
  result: ExpressionType | 'argument',
  evaluate: Evaluate,
): Signature {
  return { parameters, result, prepare: () => evaluate };
}

const NO_FLAGS = { kind: 'constant', value: '' } as const;

/** Charges the result, because repeated concatenation grows exponentially. */
function prepareConcat({ current }: CallSite): Evaluate {
  return (first: string, second: string) => {
    current.budget.chargeText(first.length + second.length);
    return first + second;
  };
}

/** A negative start counts from the end (Part 1, 13.2.1, item 9k). */
function startIn(text: string, start: number): number {
  return start < 0 ? Math.max(0, text.length + start) : start;
}

function substringFrom(text: string, start: number): string {
  return text.slice(startIn(text, start));
}

function prepareSubstring({ fail }: CallSite): Evaluate {
  return (text: string, start: number, length: number) => {
    const first = startIn(text, start);
    return length < 0
      ? fail(`'substring' expects a length that is not negative, found ${length}`)
      : text.slice(first, first + length);
  };
}

function prepareMatch(site: CallSite): Evaluate {
  const [, pattern, flags = NO_FLAGS] = site.arguments;
  if (pattern?.kind === 'constant' && flags.kind === 'constant') {
    const matches = compilePattern(String(pattern.value), String(flags.value ?? ''), site);
    return (text: string) => matches(text);
  }
  const matches = compilePatterns(site);
  return flags === NO_FLAGS ? (text: string, found: string) => matches(text, found, '') : matches;
}

/** Characters of a pattern. */
const MAXIMUM_LENGTH = 256;
/** The flags of ECMAScript that say what a pattern means, each at most once. */
const FLAGS = /^(?!.*(.).*\1)[ims]*$/;
/** Maximum number of cached patterns from rows. */
const KEPT_PATTERNS = 100;

/**
 * Compiles the pattern of `matchesPattern` (5.1.1.7.1), an unanchored ECMAScript regular expression.
 *
 * It is matched by RE2, which never backtracks: time grows with the product of the pattern's size and the text's
 * length, which is charged. A pattern that needs backtracking (lookaround, back-references) is NotImplemented, and a
 * malformed one is a BadRequest.
 */
function compilePattern(pattern: string, flags: string, site: CallSite): (text: string) => boolean {
  if (pattern.length > MAXIMUM_LENGTH) {
    return site.fail(
      `'matchesPattern' expects at most ${MAXIMUM_LENGTH} characters, found ${pattern.length}`,
    );
  }
  if (!FLAGS.test(flags))
    return site.fail(`'matchesPattern' expects the flags i, m and s, found '${flags.slice(0, 20)}'`);
  const expression = expressionOf(pattern, flags, site);
  const { current } = site;
  return (text) => {
    current.budget.chargeMatch(text.length, expression.size);
    return expression.test(text);
  };
}

/**
 * Compiles `matchesPattern` for patterns that only the rows tell: the last of them are kept, and compiling is
 * charged as matching is.
 */
function compilePatterns(site: CallSite): (text: string, pattern: string, flags: string) => boolean {
  const known = new LRUCache<string, (text: string) => boolean>({ max: KEPT_PATTERNS });
  const { current } = site;
  return (text, pattern, flags) => {
    const key = `${flags}/${pattern}`;
    const before = known.get(key);
    if (before !== undefined) return before(text);
    current.budget.chargeMatch(pattern.length, MAXIMUM_LENGTH);
    const matches = compilePattern(pattern, flags, site);
    known.set(key, matches);
    return matches(text);
  };
}

function expressionOf(pattern: string, flags: string, site: CallSite): SafeRegExp {
  if (!isWellFormed(pattern)) {
    return site.fail(`'matchesPattern' expects a regular expression, found a malformed one`);
  }
  const expression = safeRegExp(pattern, flags);
  return expression ?? site.refuse(`'matchesPattern' with a pattern that cannot be matched in linear time`);
}

type Items = readonly Value[];
type Entry = readonly [string, readonly Signature[]];

function prepareCollectionConcat({ current }: CallSite): Evaluate {
  return (first: Items, second: Items) => {
    current.budget.chargeItems(first.length + second.length);
    return [...first, ...second];
  };
}

function partOf(parameters: readonly ParameterType[]): Signature {
  const prepare = ({ current, fail }: CallSite) => {
    return (items: Items, start: number, length: number | null) => {
      current.budget.chargeItems(items.length);
      if (length !== null && length < 0) {
        return fail(`'substring' expects a length that is not negative, found ${length}`);
      }
      const first = start < 0 ? Math.max(0, items.length + start) : start;
      return items.slice(first, length === null ? undefined : first + length);
    };
  };
  return { parameters, result: 'argument', prepare };
}

/** A function that looks for items in others: each may be held against each. */
function comparing(
  result: 'Edm.Boolean' | 'Edm.Int32',
  evaluate: (items: Items, part: Items, same: Same) => Value,
): Signature {
  const prepare = ({ arguments: [left, right], current }: CallSite) => {
    const type = left && right && commonType(itemType(left.type), itemType(right.type));
    const same = orBothNull(equalityOf(type ?? 'Edm.Untyped'));
    return (items: Items, part: Items) => {
      current.budget.chargeItems(items.length * Math.max(1, part.length));
      return evaluate(items, part, same);
    };
  };
  return { parameters: TWO_COLLECTIONS, result, prepare };
}

function orBothNull(same: Same): Same {
  return (left, right) => left === right || (left !== null && right !== null && same(left, right));
}

/** Every item of the second is in the first, as often as it is in the second. */
function hasSubset(items: Items, subset: Items, same: Same): boolean {
  const left = [...items];
  return subset.every((item) => takeOut(left, item, same));
}

function takeOut(items: Value[], item: Value, same: Same): boolean {
  const place = items.findIndex((other) => same(other, item));
  if (place >= 0) {
    items.splice(place, 1);
  }
  return place >= 0;
}

/** The items of the second are in the first, in that order, others between them. */
function hasSubsequence(items: Items, sequence: Items, same: Same): boolean {
  let found = 0;
  for (const item of items) {
    const next = sequence[found];
    if (next !== undefined && same(item, next)) {
      found += 1;
    }
  }
  return found === sequence.length;
}

/** The index of the second list as a contiguous part of the first, or -1. */
function indexOf(items: Items, part: Items, same: Same): number {
  for (let place = 0; place + part.length <= items.length; place++) {
    if (isAt(items, part, place, same)) return place;
  }
  return -1;
}

function isAt(items: Items, part: Items, place: number, same: Same): boolean {
  return place >= 0 && part.every((item, index) => same(items[place + index] ?? null, item));
}

function prepareNow({ current }: CallSite): Evaluate {
  current.isAskedForTime = true;
  return () => writeDateTime(BigInt(current.budget.startedAt) * (PICOSECONDS / 1000n), 0);
}

function ofDate(name: string, digits: (text: string, month: number) => string): Entry {
  const part = (text: string): number => Number(digits(text, monthStart(text)));
  return [name, overloads(['Edm.Date', DATE_TIME], (type) => signature([type], 'Edm.Int32', part))];
}

function ofTime(
  name: string,
  part: (time: string) => DecimalValue,
  result: 'Edm.Int32' | 'Edm.Decimal' = 'Edm.Int32',
): Entry {
  return [
    name,
    [signature([TIME], result, part), signature([DATE_TIME], result, (text: string) => part(timeOf(text)))],
  ];
}

function overloads(
  types: readonly ParameterType[],
  overload: (type: ParameterType) => Signature,
): readonly Signature[] {
  return types.map(overload);
}

function timeOf(text: string): string {
  return dateTimeParts(text)?.time ?? '00:00:00';
}

function totalSeconds(duration: string): DecimalValue {
  return divideDecimals(durationOf(duration), PICOSECONDS);
}

function rounding(mode: 'round' | 'floor' | 'ceiling'): Signature {
  return signature(
    ['numeric'],
    'argument',
    (value: DecimalValue): Value =>
      typeof value === 'number' ? roundNumber(value, mode) : roundDecimal(value, mode),
  );
}

function roundNumber(value: number, mode: 'round' | 'floor' | 'ceiling'): number {
  switch (mode) {
    case 'round':
      // Math.round takes -0.5 to 0; the standard, half away from zero, to -1.
      return Math.sign(value) * Math.round(Math.abs(value)) + 0;
    case 'floor':
      return Math.floor(value);
    case 'ceiling':
      return Math.ceil(value) + 0;
  }
}

/** A constant polygon is compiled once. */
function prepareIntersects({ arguments: [, polygon] }: CallSite): Evaluate {
  if (polygon?.kind !== 'constant') {
    return (point: Value, value: Value) => compilePolygon(value)?.(point) ?? null;
  }
  const contains = compilePolygon(polygon.value);
  return (point: Value) => contains?.(point) ?? null;
}
