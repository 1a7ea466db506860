import type { Arguments, CollectionSnapshot, EntitySource } from '../../contract/entity-source.ts';
import type { CallContext } from '../../contract/exchange.ts';
import type { TriedList } from '../../contract/parameter-trust.ts';
import type { Row, Value } from '../../contract/row.ts';

/** A list that is tried out by a few calls for one request. */
export interface Probe {
  readonly source: EntitySource;
  readonly list: TriedList;
  readonly call: CallContext;
}

/** The outcome of a probe. `undecided`: the rows at hand could not show it, or the API failed. */
export type Outcome =
  | { readonly kind: 'proved'; readonly values: readonly Value[] }
  | { readonly kind: 'refuted' | 'undecided'; readonly reason: string };

export function undecided(reason: string): Outcome {
  return { kind: 'undecided', reason };
}

export function refuted(reason: string): Outcome {
  return { kind: 'refuted', reason };
}

/** One page of the list, with all scalar and complex properties; the first, or the one at `from`. */
export function readPage(
  { source, list, call }: Probe,
  sent: Arguments,
  from?: string,
): Promise<CollectionSnapshot> {
  const { operation, entityType, resource } = list;
  return source.readCollection(
    {
      resource,
      entityType,
      operation,
      arguments: { ...list.arguments, ...sent },
      properties: [...entityType.structuralProperties.keys()],
      part: { from, skip: 0, top: undefined, mayBeShort: true },
    },
    call,
  );
}

/** The rows of a narrowed list on its first page and the one after it. */
export async function readTwoPages(probe: Probe, sent: Arguments): Promise<CollectionSnapshot> {
  const first = await readPage(probe, sent);
  if (first.next === undefined) return first;
  const second = await readPage(probe, sent, first.next);
  return { ...second, data: [...first.data, ...second.data], total: first.total };
}

/** Identifies a row: by its key, else by all of its values. */
export function rowName({ entityType: { key } }: TriedList, row: Row): string {
  return JSON.stringify(key.length > 0 ? key.map((name) => String(row[name])) : row, (_, value) =>
    typeof value === 'bigint' ? String(value) : value,
  );
}
