import type { Arguments, CollectionSnapshot, EntitySource, ListPart } from '../../contract/entity-source.ts';
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

/** One page of the list, with all scalar and complex properties: the first, or the one at `from` or behind `skip` rows. */
export function readPage(
  { source, list, call }: Probe,
  sent: Arguments,
  { from, skip = 0 }: Pick<Partial<ListPart>, 'from' | 'skip'> = {},
): Promise<CollectionSnapshot> {
  const { operation, entityType, resource } = list;
  return source.readCollection(
    {
      resource,
      entityType,
      operation,
      arguments: { ...list.arguments, ...sent },
      properties: [...entityType.structuralProperties.keys()],
      part: { from, skip, top: undefined, mayBeShort: true },
    },
    call,
  );
}

/**
 * The last page of a list whose pages are asked for by numbers, in one call; undefined if they are not, or the first page
 * is the last one.
 */
export async function readLastPage(
  probe: Probe,
  sent: Arguments,
  { data, total, next }: CollectionSnapshot,
): Promise<CollectionSnapshot | undefined> {
  const ways = probe.list.operation.paging?.ways ?? [];
  const isNumbered = ways.some(({ kind }) => kind === 'page' || kind === 'offset');
  if (!isNumbered || next === undefined || total === undefined || total <= data.length) return undefined;
  if (data.length === 0) return undefined;
  const full = Math.floor((total - 1) / data.length);
  return readPage(probe, sent, { skip: full * data.length });
}

interface ListEnds {
  readonly first: CollectionSnapshot;
  /** Undefined if it is the first, or can be reached only page by page. */
  readonly last: CollectionSnapshot | undefined;
}

const knownEnds = new WeakMap<AbortSignal, Map<string, Promise<ListEnds>>>();

/** The first and the last page of the unnarrowed list, which the probes of one request share. */
export function readEnds(probe: Probe): Promise<ListEnds> {
  const { list, call } = probe;
  const { source = '', id } = list.operation;
  const name = JSON.stringify([source, id, Object.values(list.arguments).map(String)]);
  const known = knownEnds.get(call.signal) ?? new Map<string, Promise<ListEnds>>();
  knownEnds.set(call.signal, known);
  const read = async (): Promise<ListEnds> => {
    const first = await readPage(probe, {});
    return { first, last: await readLastPage(probe, {}, first) };
  };
  const ends = known.get(name) ?? read();
  known.set(name, ends);
  return ends;
}

/** Identifies a row: by its key, else by all of its values. */
export function rowName({ entityType: { key } }: TriedList, row: Row): string {
  return JSON.stringify(key.length > 0 ? key.map((name) => String(row[name])) : row, (_, value) =>
    typeof value === 'bigint' ? String(value) : value,
  );
}
