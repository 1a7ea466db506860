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
  | {
      readonly kind: 'proved';
      readonly values: readonly Value[];
      /** No row of the end of the list has been compared. */
      readonly isOfBeginning?: boolean;
    }
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
  // Pages are read one after the other where the document does not say if the first one is 0 or 1.
  const isNumbered = ways.some(
    (way) => way.kind === 'offset' || (way.kind === 'page' && way.first !== undefined),
  );
  if (!isNumbered || next === undefined || total === undefined || total <= data.length) return undefined;
  if (data.length === 0) return undefined;
  const full = Math.floor((total - 1) / data.length);
  return readPage(probe, sent, { skip: full * data.length });
}

/** Rows of an unnarrowed list, from more than one part of it if it has several pages. */
export interface ListSample {
  readonly first: CollectionSnapshot;
  /** The rows of the first page, and of some behind it if no call reads another part of the list. */
  readonly near: readonly Row[];
  /** Rows of the last page, or of the first one in another order. */
  readonly far: readonly Row[];
  /** The arguments for that order. */
  readonly order: Arguments | undefined;
  /** The end of the list has been seen. */
  readonly isToEnd: boolean;
}

/** The pages behind the first that are read of a list whose end no call reads. */
const MORE_PAGES = 3;

const knownSamples = new WeakMap<AbortSignal, Map<string, Promise<ListSample>>>();

/** The rows that the probes of one request share. */
export function readSample(probe: Probe): Promise<ListSample> {
  const { list, call } = probe;
  const { source = '', id } = list.operation;
  const name = JSON.stringify([source, id, Object.values(list.arguments).map(String)]);
  const known = knownSamples.get(call.signal) ?? new Map<string, Promise<ListSample>>();
  knownSamples.set(call.signal, known);
  const sample = known.get(name) ?? newSample(probe);
  known.set(name, sample);
  return sample;
}

async function newSample(probe: Probe): Promise<ListSample> {
  const { sorting = [] } = probe.list.operation;
  const first = await readPage(probe, {});
  const near = [...first.data];
  const last = await readLastPage(probe, {}, first);
  if (last !== undefined || first.next === undefined)
    return { first, near, far: [...(last?.data ?? [])], order: undefined, isToEnd: true };
  const order = sorting.find(({ descending }) => descending) ?? sorting[0];
  if (order !== undefined) {
    const sorted = await readPage(probe, order.arguments);
    return { first, near, far: [...sorted.data], order: order.arguments, isToEnd: false };
  }
  let page = first;
  for (let more = 0; more < MORE_PAGES && page.next !== undefined; more += 1) {
    page = await readPage(probe, {}, { from: page.next });
    near.push(...page.data);
  }
  return { first, near, far: [], order: undefined, isToEnd: page.next === undefined };
}

/** Identifies a row: by its key, else by all of its values. */
export function rowName({ entityType: { key } }: TriedList, row: Row): string {
  return JSON.stringify(key.length > 0 ? key.map((name) => String(row[name])) : row, (_, value) =>
    typeof value === 'bigint' ? String(value) : value,
  );
}
