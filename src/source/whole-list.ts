import type { Arguments, CollectionRead, CollectionSnapshot } from '../contract/entity-source.ts';
import { upstreamText } from '../contract/narrowing-arguments.ts';
import { mappedRows, ownValue, type Row, type Rows, rowsBetween } from '../contract/row.ts';
import type { EntityType } from '../model/edm.ts';
import type { DefaultFilter, ListOperation } from '../model/operation.ts';
import type { ReadList } from '../upstream/paging/read-lists.ts';

/** The filters of a list that is called once for each value: the rows of a call have its value of their property. */
function splitFilters(
  { defaults = [] }: ListOperation,
  calls: readonly Arguments[],
): readonly DefaultFilter[] {
  return defaults.filter(
    ({ parameter, property, whole, isList }) =>
      property !== undefined && !isList && whole.length > 1 && calls.every((call) => parameter in call),
  );
}

/**
 * Reads a list by one call for each value of an enumeration. A row with the value of another call is left to that one, so
 * that an API which ignores the parameter gives each row once.
 */
export function splitReading(
  { operation, entityType, properties }: CollectionRead,
  calls: readonly Arguments[],
): {
  /** The properties that are read. */
  readonly properties: readonly string[];
  readonly split: (read: ReadList) => ReadList;
} {
  const filters = splitFilters(operation, calls);
  const compared = filters.flatMap(({ property }) => property ?? []);
  const added = compared.filter((name) => !properties.includes(name));
  const wanted = new Set(properties);
  const withoutAdded = (rows: Rows): Rows =>
    added.length === 0
      ? rows
      : mappedRows(rows, (row) =>
          Object.fromEntries(Object.entries(row).filter(([name]) => wanted.has(name))),
        );
  const split = (read: ReadList): ReadList => {
    return async (own, part, call, joint) => {
      const found = await read(own, part, call, joint);
      const isKept = (row: Row): boolean => filters.every((filter) => isOfCall(filter, entityType, own, row));
      const rows = [...found.data].filter(isKept);
      if (rows.length === found.data.length) return { ...found, data: withoutAdded(found.data) };
      if (part === undefined) return { ...found, data: withoutAdded(rows) };
      const whole = await read(own, undefined, call, undefined);
      return cut({ ...whole, data: withoutAdded([...whole.data].filter(isKept)) }, part.skip, part.top);
    };
  };
  return { properties: [...properties, ...added], split };
}

function cut(snapshot: CollectionSnapshot, skip: number, top = Number.POSITIVE_INFINITY): CollectionSnapshot {
  return { ...snapshot, data: rowsBetween(snapshot.data, skip, skip + top) };
}

/** Whether a row has no value of another call. */
function isOfCall(
  { parameter, property = '', whole }: DefaultFilter,
  { structuralProperties }: EntityType,
  own: Arguments,
  row: Row,
): boolean {
  const value = row[property] ?? null;
  if (value === null) return true;
  const sent = String(ownValue(own, parameter)).toLowerCase();
  const text = upstreamText(structuralProperties.get(property), value).toLowerCase();
  return text === sent || !whole.some(([other = '']) => other.toLowerCase() === text);
}
