import { narrowedProperty, narrowingArguments } from '../../contract/narrowing-arguments.ts';
import type { Row, Value } from '../../contract/row.ts';
import type { EntityType } from '../../model/edm.ts';
import type { NarrowingParameter } from '../../model/operation.ts';
import { type Outcome, type Probe, readPage, readTwoPages, refuted, rowName, undecided } from './probe.ts';
import { characterKinds, isSendable, valueClass, valueIn } from './sendable-value.ts';

/**
 * Tries out whether a parameter narrows the list by its property: of a page with two values or more, all rows that meet
 * the condition for a value of that page come back, and others mostly do not. The value stands in no other property of
 * its row, so that a parameter for another property fails.
 */
export async function probeNarrowing(
  probe: Probe,
  parameter: NarrowingParameter,
  wanted: readonly Value[],
): Promise<Outcome> {
  const { list } = probe;
  const { data } = await readPage(probe, {});
  const rows = [...data].filter((row) => valueIn(row, parameter) !== undefined);
  const values = testValues(parameter, list.entityType, rows, wanted);
  if (values === undefined) return undecided('no row of the first page has a value that could show it');
  const isWanted = (row: Row): boolean => meets(parameter, valueIn(row, parameter), values);
  const expected = rows.filter(isWanted);
  const others = data.length - expected.length;
  if (expected.length === 0 || others === 0) return undecided('all rows of the first page are alike');
  const narrowed = await readTwoPages(probe, narrowingArguments(parameter, list.entityType, values));
  const found = new Set(Array.from(narrowed.data, (row) => rowName(list, row)));
  if (!expected.every((row) => found.has(rowName(list, row)))) {
    return refuted('rows that meet the condition did not come back');
  }
  const mismatches = [...narrowed.data].filter((row) => !isWanted(row) && !isAtBound(parameter, row, values));
  // More than a prefix or a folded case would bring: the parameter does nothing, or something else.
  if (mismatches.length * 2 > narrowed.data.length) return refuted('most rows did not meet the condition');
  const isRange = parameter.condition.kind === 'lower' || parameter.condition.kind === 'upper';
  if (isRange && mismatches.length > 0) return refuted('rows beyond the bound came back');
  return { kind: 'proved', values };
}

/** The values to try out; undefined if no row of the page is fit for it. */
function testValues(
  parameter: NarrowingParameter,
  type: EntityType,
  rows: readonly Row[],
  wanted: readonly Value[],
): readonly Value[] | undefined {
  const property = narrowedProperty(parameter, type);
  const kind = property && valueClass(property, parameter);
  const fit = rows.filter((row) => {
    const value = valueIn(row, parameter) ?? null;
    return isSendable(parameter, type, value) && isOnlyThere(row, parameter, value);
  });
  const distinct = [...new Map(fit.map((row) => [String(valueIn(row, parameter)), row])).values()].flatMap(
    (row) => valueIn(row, parameter) ?? [],
  );
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
  if (parameter.condition.kind !== 'in') {
    const found = distinct.find((value) => wanted.every((each) => isAsGood(value, each)));
    return found === undefined ? undefined : [found];
  }
  // Two values at once: an API that takes the first or the last one alone fails.
  const both = distinct.filter((value) => wanted.some((each) => isAsGood(value, each)));
  const covered = wanted.every((each) => both.some((value) => isAsGood(value, each)));
  return both.length < 2 || !covered ? undefined : kind === 'each' ? both : both.slice(0, 2);
}

/** Whether no other property of the row, however deep, has the value. */
function isOnlyThere(row: Row, parameter: NarrowingParameter, value: Value): boolean {
  const text = String(value);
  const count = (found: Value | undefined): number => {
    if (found === undefined || found === null) return 0;
    if (Array.isArray(found)) return found.reduce<number>((sum, each) => sum + count(each), 0);
    if (typeof found === 'object')
      return Object.values(found as Row).reduce<number>((sum, each) => sum + count(each), 0);
    return String(found) === text ? 1 : 0;
  };
  // Booleans stand everywhere: that the rows fit has to be enough.
  return typeof value === 'boolean' || valueIn(row, parameter) === undefined || count(row) === 1;
}

/** Whether a value meets the condition for these values, as the document describes it. */
export function meets(
  { condition }: NarrowingParameter,
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
      return condition.inclusive === true ? compare(value, bound) >= 0 : compare(value, bound) > 0;
    case 'upper':
      return condition.inclusive === true ? compare(value, bound) <= 0 : compare(value, bound) < 0;
  }
}

/** Whether the row is at a bound of which the document does not say if it is included. */
function isAtBound(parameter: NarrowingParameter, row: Row, [bound = null]: readonly Value[]): boolean {
  const { condition } = parameter;
  if (condition.kind !== 'lower' && condition.kind !== 'upper') return false;
  return condition.inclusive === undefined && compare(valueIn(row, parameter) ?? null, bound) === 0;
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
