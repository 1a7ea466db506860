import type { Arguments, CollectionRead, CollectionSnapshot, ListPart } from '../contract/entity-source.ts';
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

/** Whether calls of a list differ in the value of a parameter that has a default. */
export function isSplit({ defaults = [] }: ListOperation, calls: readonly Arguments[]): boolean {
  return defaults.some(
    ({ parameter }) => new Set(calls.map((call) => String(ownValue(call, parameter)))).size > 1,
  );
}

/** The reading of a list by one call for each value of an enumeration. */
interface SplitReading {
  /** The properties that are read: those that are wanted, and those by which rows are compared. */
  readonly properties: readonly string[];
  /** Reads one call. A row with the value of another call is left to that one. */
  readonly split: (read: ReadList) => ReadList;
  /** Reads all calls together. Entities that several of them give are one, as of an API that ignores the parameter. */
  readonly joined: (
    read: (part: ListPart | undefined) => Promise<CollectionSnapshot>,
    part: ListPart | undefined,
  ) => Promise<CollectionSnapshot>;
}

export function splitReading(
  { operation, entityType, properties }: CollectionRead,
  calls: readonly Arguments[],
): SplitReading {
  const filters = splitFilters(operation, calls);
  const compared = [...filters.flatMap(({ property }) => property ?? []), ...entityType.key];
  const added = isSplit(operation, calls) ? compared.filter((name) => !properties.includes(name)) : [];
  const wanted = new Set(properties);
  const withoutAdded = (rows: Rows): Rows =>
    added.length === 0
      ? rows
      : mappedRows(rows, (row) =>
          Object.fromEntries(Object.entries(row).filter(([name]) => wanted.has(name))),
        );
  return {
    properties: [...new Set([...properties, ...added])],
    split: (read) => async (own, part, call, joint) => {
      const found = await read(own, part, call, joint);
      const isKept = (row: Row): boolean => filters.every((filter) => isOfCall(filter, entityType, own, row));
      const rows = [...found.data].filter(isKept);
      if (rows.length === found.data.length) return found;
      if (part === undefined) return { ...found, data: rows };
      const whole = await read(own, undefined, call, undefined);
      return cut({ ...whole, data: [...whole.data].filter(isKept) }, part.skip, part.top);
    },
    async joined(read, part) {
      const isCounted = part?.counted === true;
      const found = await read(isCounted ? undefined : part);
      const rows = distinct(found.data, entityType);
      if (rows.length === found.data.length && !isCounted)
        return { ...found, data: withoutAdded(found.data) };
      const whole =
        part === undefined || isCounted ? rows : distinct((await read(undefined)).data, entityType);
      const shown = cut({ ...found, next: undefined, data: withoutAdded(whole) }, part?.skip ?? 0, part?.top);
      return isCounted ? { ...shown, total: whole.length } : shown;
    },
  };
}

/** The rows, each key once; those without a key stay. */
function distinct(rows: Rows, { key }: EntityType): readonly Row[] {
  const known = new Set<string>();
  return [...rows].filter((row) => {
    const values = key.map((name) => row[name] ?? null);
    if (key.length === 0 || values.includes(null)) return true;
    const text = JSON.stringify(values.map(String));
    if (known.has(text)) return false;
    known.add(text);
    return true;
  });
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
