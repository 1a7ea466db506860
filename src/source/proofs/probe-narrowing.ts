import type { CollectionSnapshot } from '../../contract/entity-source.ts';
import { narrowedProperty, narrowingArguments, withArguments } from '../../contract/narrowing-arguments.ts';
import type { Row, Value } from '../../contract/row.ts';
import { everyFew, inTurns, type Work } from '../../core/work.ts';
import type { EntityType } from '../../model/edm.ts';
import type { NarrowingParameter } from '../../model/operation.ts';
import {
  type ListSample,
  type Outcome,
  type Probe,
  readLastPage,
  readPage,
  readSample,
  refuted,
  rowName,
  undecided,
} from './probe.ts';
import { characterKinds, isSendable, valueClass, valueIn, valuesIn } from './sendable-value.ts';

/**
 * Tries out whether a parameter narrows the list by its property: of some pages with two values or more, all rows that meet
 * the condition for a value of these pages come back, and others mostly do not. The value stands in no other property of
 * its row, so that a parameter for another property fails. Rows of the last page, or of another order, show what an API
 * leaves out that limits the rows it finds, or finds new rows late.
 */
export async function probeNarrowing(
  probe: Probe,
  parameter: NarrowingParameter,
  wanted: readonly Value[],
): Promise<Outcome> {
  const { entityType } = probe.list;
  const sample = await readSample(probe);
  const values = testValues(parameter, entityType, sample, wanted);
  if (values === undefined) return undecided('no row of a page has a value that could show it');
  const tried = await tryValues(probe, parameter, sample, values);
  const isOfBeginning = !sample.isToEnd && sample.far.length === 0;
  const outcome: Outcome = tried.kind === 'proved' ? { ...tried, isOfBeginning } : tried;
  const property = narrowedProperty(parameter, entityType);
  const isOfOne = property !== undefined && valueClass(property, parameter) === 'each';
  if (outcome.kind !== 'proved' || sample.isToEnd || !isOfOne || values.length > 1) return outcome;
  // A limit on the rows that are found may show at the commonest value alone.
  const [commonest] = fitValues(parameter, entityType, sample).filter((value) => !values.includes(value));
  const other = commonest === undefined ? outcome : await tryValues(probe, parameter, sample, [commonest]);
  return other.kind === 'refuted' ? other : outcome;
}

async function tryValues(
  probe: Probe,
  parameter: NarrowingParameter,
  { first, near, far, order }: ListSample,
  values: readonly Value[],
): Promise<Outcome> {
  const { list } = probe;
  const isWanted = (row: Row): boolean => isMetBy(parameter, row, values);
  const all = [...near, ...far];
  const expected = all.filter(isWanted);
  if (expected.length === 0 || expected.length === all.length)
    return undecided('all rows of the page are alike');
  const isRange = parameter.condition.kind === 'lower' || parameter.condition.kind === 'upper';
  if (isRange && !isDistinguishable(parameter, all, values))
    return undecided('the rows would be those of a bound of another property, too');
  const sent = narrowingArguments(parameter, list.entityType, values);
  const narrowed = await readPage(probe, sent);
  if (first.total !== undefined && narrowed.total !== undefined && narrowed.total >= first.total)
    return refuted('the total of the list did not change');
  const other = (): Promise<CollectionSnapshot | undefined> =>
    order === undefined ? readLastPage(probe, sent, narrowed) : readPage(probe, withArguments(sent, order));
  const end = narrowed.next !== undefined && far.some(isWanted) ? await other() : undefined;
  const second =
    narrowed.next === undefined || end !== undefined
      ? undefined
      : await readPage(probe, sent, { from: narrowed.next });
  const rows = [narrowed, second, end].flatMap((page) => [...(page?.data ?? [])]);
  const found = new Set(rows.map((row) => rowName(list, row)));
  const isWhole = (second ?? narrowed).next === undefined;
  const matching = (pages: readonly (CollectionSnapshot | undefined)[]): number =>
    pages.flatMap((page) => [...(page?.data ?? [])]).filter(isWanted).length;
  // Pages at the beginning of a long list have the first of the rows, and a last page the last ones.
  const wantedFar = far.filter(isWanted);
  const seenFar = Math.max(1, matching([end]));
  const required = isWhole
    ? expected
    : [
        ...near.filter(isWanted).slice(0, Math.max(1, matching([narrowed, second]))),
        ...(end === undefined
          ? []
          : order === undefined
            ? wantedFar.slice(-seenFar)
            : wantedFar.slice(0, seenFar)),
      ];
  if (!required.every((row) => found.has(rowName(list, row)))) {
    return refuted('rows that meet the condition did not come back');
  }
  if (all.every((row) => found.has(rowName(list, row))))
    return refuted('rows that do not meet the condition came back, too');
  const mismatches = rows.filter((row) => !isWanted(row) && !isAtBound(parameter, row, values));
  // More than a prefix or a folded case would bring: the parameter does nothing, or something else.
  if (mismatches.length * 2 > rows.length) return refuted('most rows did not meet the condition');
  if (isRange && mismatches.length > 0) return refuted('rows beyond the bound came back');
  return { kind: 'proved', values };
}

/** The rows at the end of a list whose values are tried. */
const LATE_ROWS = 200;
/** The most rows that a value may have to be tried: they come on two pages. */
const FEW_ROWS = 100;

/**
 * Tries a parameter out with a value of a late row that few rows have, when all rows of the list are known: all that meet
 * the condition come back.
 */
export async function probeWithAll(
  probe: Probe,
  parameter: NarrowingParameter,
  rows: readonly Row[],
): Promise<Outcome> {
  const { list } = probe;
  const late = fitValues(parameter, list.entityType, { near: [], far: rows.slice(-LATE_ROWS) });
  // The rarest values are the last ones.
  const value = await inTurns(lastOfFew(parameter, rows, late.slice(-MOST_TRIED)));
  if (value === undefined) return undecided('no late row has a value that few others have');
  const sent = narrowingArguments(parameter, list.entityType, [value]);
  const narrowed = await readPage(probe, sent);
  const second =
    narrowed.next === undefined ? undefined : await readPage(probe, sent, { from: narrowed.next });
  const came = [...narrowed.data, ...(second?.data ?? [])];
  const found = new Set(came.map((row) => rowName(list, row)));
  const missing = rows.filter((row) => isMetBy(parameter, row, [value]) && !found.has(rowName(list, row)));
  if (missing.length === 0) return { kind: 'proved', values: [value] };
  return (second ?? narrowed).next === undefined
    ? refuted('rows late in the list did not come back')
    : undecided('there are more rows than two pages have');
}

/** The most values that are looked for in all rows. */
const MOST_TRIED = 20;
/** The rows that are looked at before other requests may run. */
const ROWS_AT_ONCE = 200;

/** The last of the values that some rows have, and not many. */
function* lastOfFew(
  parameter: NarrowingParameter,
  rows: readonly Row[],
  values: readonly Value[],
): Work<Value | undefined> {
  const tried = values.map((value) => ({ value, count: 0 }));
  const pace = everyFew(ROWS_AT_ONCE);
  for (const row of rows) {
    for (const each of tried) if (isMetBy(parameter, row, [each.value])) each.count += 1;
    if (pace.isDue()) yield;
  }
  return tried.findLast(({ count }) => count > 0 && count <= FEW_ROWS && count < rows.length)?.value;
}

/** The values to try out; undefined if no row of the pages is fit for it. */
function testValues(
  parameter: NarrowingParameter,
  type: EntityType,
  sample: ListSample,
  wanted: readonly Value[],
): readonly Value[] | undefined {
  const property = narrowedProperty(parameter, type);
  const kind = property && valueClass(property, parameter);
  const distinct = fitValues(parameter, type, sample);
  if (parameter.condition.kind === 'lower' || parameter.condition.kind === 'upper') {
    const sorted = distinct.toSorted((a, b) => compare(a, b));
    return sorted.length < 3 ? undefined : sorted.slice(sorted.length >> 1, (sorted.length >> 1) + 1);
  }
  const isAsGood = (value: Value, than: Value): boolean => {
    if (kind === 'each') return value === than;
    if (kind === 'any') return true;
    const kinds = characterKinds(String(than));
    return (characterKinds(String(value)) & kinds) === kinds;
  };
  if (parameter.condition.kind !== 'in' || parameter.condition.most === 1) {
    const found = distinct.find((value) => wanted.every((each) => isAsGood(value, each)));
    return found === undefined ? undefined : [found];
  }
  // Two values at once: an API that takes the first or the last one alone fails.
  const both = distinct.filter((value) => wanted.some((each) => isAsGood(value, each)));
  const covered = wanted.every((each) => both.some((value) => isAsGood(value, each)));
  return both.length < 2 || !covered ? undefined : kind === 'each' ? both : both.slice(0, 2);
}

/** The different values to try out in the rows, the commonest first. */
function fitValues(
  parameter: NarrowingParameter,
  type: EntityType,
  { near, far }: Pick<ListSample, 'near' | 'far'>,
): readonly Value[] {
  return commonestFirst(near, far, (row) =>
    valuesIn(row, parameter).filter((value) => isSendable(parameter, type, value) && isOnlyThere(row, value)),
  );
}

/** The different values of the rows: those that most rows of both parts have come first. */
function commonestFirst(
  near: readonly Row[],
  far: readonly Row[],
  fitIn: (row: Row) => readonly Value[],
): readonly Value[] {
  const counts = new Map<string, { readonly value: Value; near: number; far: number }>();
  const count = (rows: readonly Row[], page: 'near' | 'far'): void => {
    for (const value of rows.flatMap(fitIn)) {
      const known = counts.get(String(value)) ?? { value, near: 0, far: 0 };
      known[page] += 1;
      counts.set(String(value), known);
    }
  };
  count(near, 'near');
  count(far, 'far');
  const rank = (each: { readonly near: number; readonly far: number }): number =>
    Math.min(each.near, each.far) * 1_000_000 + each.near + each.far;
  return [...counts.values()].sort((a, b) => rank(b) - rank(a)).map(({ value }) => value);
}

/**
 * Whether, for each other number or time of the rows, a bound of that one would leave other rows: else a parameter for the
 * other property would pass.
 */
function isDistinguishable(
  parameter: NarrowingParameter,
  rows: readonly Row[],
  values: readonly Value[],
): boolean {
  const [own = ''] = parameter.path;
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  names.delete(own);
  return [...names].every((name) => {
    const others = rows.filter((row) => !Number.isNaN(Number(comparable(row[name] ?? null))));
    if (others.length === 0) return true;
    return others.some((row) => isMetBy(parameter, row, values) !== meets(parameter, row[name], values));
  });
}

/** Whether one property of the row, however deep, has the value, and only once. */
function isOnlyThere(row: Row, value: Value): boolean {
  const text = String(value);
  const count = (found: Value | undefined): number => {
    if (found === undefined || found === null) return 0;
    if (Array.isArray(found)) return found.reduce<number>((sum, each) => sum + count(each), 0);
    if (typeof found === 'object')
      return Object.values(found as Row).reduce<number>((sum, each) => sum + count(each), 0);
    return String(found) === text ? 1 : 0;
  };
  // Booleans stand everywhere: that the rows fit has to be enough.
  return typeof value === 'boolean' || count(row) === 1;
}

/** Whether a value of the row that the parameter compares meets the condition. */
export function isMetBy(parameter: NarrowingParameter, row: Row, values: readonly Value[]): boolean {
  return valuesIn(row, parameter).some((value) => meets(parameter, value, values));
}

/** Whether a value meets the condition for these values, as the document describes it. */
function meets(
  { condition, form }: NarrowingParameter,
  value: Value | undefined,
  values: readonly Value[],
): boolean {
  if (value === undefined || value === null) return false;
  const [bound = null] = values;
  switch (condition.kind) {
    case 'equal':
    case 'in':
      return values.some((each) => String(each) === String(value));
    case 'lower':
      if (form === 'date') return compare(value, bound) > 0 && !isNear(value, bound);
      return includesBound(condition, bound) ? compare(value, bound) >= 0 : compare(value, bound) > 0;
    case 'upper':
      if (form === 'date') return compare(value, bound) < 0 && !isNear(value, bound);
      return includesBound(condition, bound) ? compare(value, bound) <= 0 : compare(value, bound) < 0;
  }
}

type Range = Extract<NarrowingParameter['condition'], { readonly kind: 'lower' | 'upper' }>;

/** Whether rows at the bound must come back. Bounds of times are sent wider: those may be left out. */
function includesBound({ inclusive }: Range, bound: Value): boolean {
  return inclusive === true && !isTime(bound);
}

/** Two days: a date may mean the beginning of the day or its end, in any time zone. */
const NEAR_MS = 2 * 86_400_000;

/** Whether a bound that is sent as a date may include the time, or leave it out. */
function isNear(time: Value, bound: Value): boolean {
  return Math.abs(Number(comparable(time)) - Number(comparable(bound))) <= NEAR_MS;
}

function isTime(value: Value): boolean {
  return typeof value === 'string' && Number.isNaN(Number(value));
}

/** Whether the row is at a bound of which the document does not say if it is included. */
export function isAtBound(
  parameter: NarrowingParameter,
  row: Row,
  [bound = null]: readonly Value[],
): boolean {
  const { condition, form } = parameter;
  if (condition.kind !== 'lower' && condition.kind !== 'upper') return false;
  const value = valueIn(row, parameter) ?? null;
  if (form === 'date') return isNear(value, bound);
  const isOpen = condition.inclusive === undefined || isTime(bound);
  return isOpen && compare(value, bound) === 0;
}

/** Orders numbers, and times by their instants. */
export function compare(a: Value, b: Value): number {
  const [left, right] = [comparable(a), comparable(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

function comparable(value: Value): number | bigint {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  const text = String(value);
  const number = Number(text);
  return Number.isNaN(number) ? Date.parse(text) : number;
}
