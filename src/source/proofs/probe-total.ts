import { narrowedProperty, narrowingArguments } from '../../contract/narrowing-arguments.ts';
import type { Row, Value } from '../../contract/row.ts';
import type { EntityType } from '../../model/edm.ts';
import type { NarrowingParameter } from '../../model/operation.ts';
import { type Outcome, type Probe, readPage, refuted, undecided } from './probe.ts';
import { meets } from './probe-narrowing.ts';
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
  const isExact =
    kind === 'each' || (kind === 'any' && /^Edm\.(?:S?Byte|Int\d+|Guid)$/.test(property?.type.name ?? ''));
  const [value = null] = wanted;
  if (!isExact || parameter.condition.kind !== 'equal' || !isSendable(parameter, entityType, value)) {
    return refuted('no value of this type is exact');
  }
  const whole = await readPage(probe, {});
  const own = await narrowedTotal(probe, parameter, value);
  if (whole.total === undefined || own === undefined) return undecided('the list does not tell its total');
  if (own === 'misfit') return refuted('a row did not meet the condition');
  const others = otherValues(parameter, entityType, [...whole.data], value);
  if (own >= whole.total || others.length === 0) return undecided('the list has one value only');
  const totals: number[] = [];
  for (const other of others) {
    const total = await narrowedTotal(probe, parameter, other);
    if (total === 'misfit') return refuted('a row did not meet the condition');
    if (total === undefined) return undecided('the list does not tell its total');
    totals.push(total);
    if (total !== own && total < whole.total) return { kind: 'proved', values: [value] };
  }
  const sum = totals.reduce((all, total) => all + total, own);
  return sum === whole.total && kind === 'each'
    ? { kind: 'proved', values: [value] }
    : refuted('the total does not change with the value');
}

/** The total with the value, if all rows of the first page have it. */
async function narrowedTotal(
  probe: Probe,
  parameter: NarrowingParameter,
  value: Value,
): Promise<number | 'misfit' | undefined> {
  const sent = narrowingArguments(parameter, probe.list.entityType, [value]);
  const { data, total, next } = await readPage(probe, sent);
  if ([...data].some((row) => !meets(parameter, valueIn(row, parameter), [value]))) return 'misfit';
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
