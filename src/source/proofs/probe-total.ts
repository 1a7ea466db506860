import { narrowedProperty, narrowingArguments } from '../../contract/narrowing-arguments.ts';
import type { Row, Value } from '../../contract/row.ts';
import type { EntityType } from '../../model/edm.ts';
import type { NarrowingParameter } from '../../model/operation.ts';
import { type Outcome, type Probe, readPage, readSample, refuted, rowName, undecided } from './probe.ts';
import { isMetBy } from './probe-narrowing.ts';
import { isSendable, valueClass, valueIn } from './sendable-value.ts';

/** The most values of an enumeration whose totals are read. */
const MOST_VALUES = 8;

/**
 * Tries out whether the total of a narrowed list counts just the rows that meet the condition: all rows of the page do,
 * the total changes with the value, or the totals of all values add up to that of the list.
 */
export async function probeTotal(
  probe: Probe,
  parameter: NarrowingParameter,
  wanted: readonly Value[],
): Promise<Outcome> {
  const { entityType } = probe.list;
  const property = narrowedProperty(parameter, entityType);
  const kind = property && valueClass(property, parameter);
  const isExact = kind === 'each' || /^Edm\.(?:S?Byte|Int\d+|Guid)$/.test(property?.type.name ?? '');
  const [value = null] = wanted;
  if (!isExact || parameter.condition.kind !== 'equal' || !isSendable(parameter, entityType, value)) {
    return refuted('no value of this type is exact');
  }
  const { first: whole, near, far } = await readSample(probe);
  const rows = [...near, ...far];
  const own = await narrowedTotal(probe, parameter, value, rows);
  if (whole.total === undefined || own === undefined) return undecided('the list does not tell its total');
  if (own === 'misfit') return refuted('a row did not meet the condition');
  // None may also mean that the API does not know the value.
  const isSeen = own > 0 || kind === 'any';
  const others = otherValues(parameter, entityType, rows, value);
  if (own >= whole.total || others.length === 0) return undecided('the list has one value only');
  const totals: number[] = [];
  for (const other of others) {
    const total = await narrowedTotal(probe, parameter, other, rows);
    if (total === 'misfit') return refuted('a row did not meet the condition');
    if (total === undefined) return undecided('the list does not tell its total');
    totals.push(total);
    if (isSeen && total !== own && total < whole.total) return { kind: 'proved', values: [value] };
  }
  const sum = totals.reduce((all, total) => all + total, own);
  if (sum === whole.total && kind === 'each') return { kind: 'proved', values: [value] };
  return isSeen
    ? refuted('the total does not change with the value')
    : undecided('no row has the value, and the totals of all values do not add up');
}

/** The total with the value, if all rows of the first page have it, and none of the rows is missing. */
async function narrowedTotal(
  probe: Probe,
  parameter: NarrowingParameter,
  value: Value,
  rows: readonly Row[],
): Promise<number | 'misfit' | undefined> {
  const sent = narrowingArguments(parameter, probe.list.entityType, [value]);
  const { data, total, next } = await readPage(probe, sent);
  const isWanted = (row: Row): boolean => isMetBy(parameter, row, [value]);
  const found = new Set(Array.from(data, (row) => rowName(probe.list, row)));
  const expected = rows.filter(isWanted);
  const missing = expected.filter((row) => !found.has(rowName(probe.list, row)));
  if (![...data].every(isWanted) || expected.length > (total ?? expected.length)) return 'misfit';
  if (next === undefined && missing.length > 0) return 'misfit';
  const isPossible =
    total === undefined || (next === undefined ? total === data.length : total > data.length);
  return isPossible ? total : 'misfit';
}

/** All other values of an enumeration, if they are few; else one of the page. */
function otherValues(
  parameter: NarrowingParameter,
  type: EntityType,
  rows: readonly Row[],
  value: Value,
): readonly Value[] {
  const property = narrowedProperty(parameter, type);
  const members =
    property?.type.kind === 'enumeration' ? property.type.members.map(({ name }) => name) : undefined;
  const isBoolean = property?.type.name === 'Edm.Boolean';
  const all = isBoolean ? [true, false] : (members ?? property?.facets.allowedValues);
  const present = rows.flatMap((row) => valueIn(row, parameter) ?? []);
  const others = (all !== undefined && all.length <= MOST_VALUES ? all : present).filter(
    (each) => String(each) !== String(value) && isSendable(parameter, type, each),
  );
  return all !== undefined && all.length <= MOST_VALUES ? others : others.slice(0, 1);
}
