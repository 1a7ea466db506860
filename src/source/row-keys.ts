import { hash } from 'node:crypto';
import type {
  CollectionRead,
  CollectionSnapshot,
  ListPart,
  PageSieve,
  RowSink,
} from '../contract/entity-source.ts';
import { type Row, type Rows, rowsBetween, signsOf } from '../contract/row.ts';
import { type EntityType, isReadable, withDerivedTypes } from '../model/edm.ts';

/** Reads a list, or the part of it that is wanted. */
type ReadPart = (read: CollectionRead) => Promise<CollectionSnapshot>;

/**
 * Reads rows without a key of their own, with the keys that are made of their values if these are wanted: all values of
 * the rows are read then.
 */
export async function readKeyed(read: CollectionRead, readPart: ReadPart): Promise<CollectionSnapshot> {
  const { entityType, properties } = read;
  const name = entityType.key.find((part) => entityType.structuralProperties.get(part)?.isRowKey === true);
  if (name === undefined || !properties.includes(name)) return readPart(read);
  const values = valueNames(entityType);
  const all = { ...read, properties: [...values, ...properties.filter((each) => !values.includes(each))] };
  const keyed = (rows: Rows, counts: RowCounts | undefined): Rows => ({
    length: rows.length,
    *[Symbol.iterator]() {
      const seen = counts ?? new Map<string, number>();
      for (const row of rows) yield withKey(row, { name, values, properties }, seen);
    },
  });
  const { part, sink } = read;
  if (part?.sieve !== undefined) return readPart({ ...all, part: sievingKeyed(part, part.sieve, keyed) });
  // Which of several equal rows one is depends on those before it.
  const skipped = part?.from === undefined ? (part?.skip ?? 0) : 0;
  if (part === undefined || skipped === 0) {
    const counts: RowCounts = new Map();
    let isPassedOn = false;
    const put: RowSink['put'] = async (rows, total) => {
      isPassedOn = true;
      await sink?.put([...keyed(rows, counts)], total);
    };
    const { isPaced = false, needsTotal = false } = sink ?? {};
    const found = await readPart({ ...all, sink: sink && { isPaced, needsTotal, put } });
    // The counts go on behind the rows that were passed on, so these rows are gone through once.
    return { ...found, data: isPassedOn ? [...keyed(found.data, counts)] : keyed(found.data, undefined) };
  }
  const top = part.top === undefined ? undefined : part.top + skipped;
  const found = await readPart({
    ...all,
    sink: undefined,
    part: { ...part, skip: 0, top, mayBeShort: false },
  });
  const shown = rowsBetween(keyed(found.data, undefined), skipped, found.data.length);
  return { ...found, data: shown };
}

/** The number of occurrences of each digest. */
type RowCounts = Map<string, number>;

function sievingKeyed(
  part: ListPart,
  sieve: PageSieve,
  keyed: (rows: Rows, counts: RowCounts) => Rows,
): ListPart {
  const counts: RowCounts = new Map();
  return {
    ...part,
    sieve: {
      ...(sieve.isEndless !== undefined && { isEndless: sieve.isEndless }),
      take: (rows) => sieve.take([...keyed(rows, counts)]),
      ...(sieve.restart && {
        restart() {
          counts.clear();
          sieve.restart?.();
        },
      }),
    },
  };
}

/** The properties whose values a key is made of: all that reads have. */
function valueNames(entityType: EntityType): readonly string[] {
  const declared = withDerivedTypes(entityType).flatMap(({ structuralProperties }) => [
    ...structuralProperties.values(),
  ]);
  const readable = declared.filter((property) => isReadable(property) && property.isRowKey !== true);
  return [...new Set(readable.map(({ name }) => name))];
}

interface KeyedReading {
  readonly name: string;
  readonly values: readonly string[];
  readonly properties: readonly string[];
}

/** Of a digest, what is enough to tell rows apart: 132 bits. */
const DIGEST_LENGTH = 22;

function withKey(row: Row, { name, values, properties }: KeyedReading, seen: RowCounts): Row {
  const text = JSON.stringify(
    values.map((each) => row[each] ?? null),
    (_, value) => (typeof value === 'bigint' ? String(value) : value),
  );
  const digest = hash('sha256', text, 'base64url').slice(0, DIGEST_LENGTH);
  const before = seen.get(digest) ?? 0;
  seen.set(digest, before + 1);
  const key = before === 0 ? digest : `${digest}.${before + 1}`;
  const wanted = properties.filter((each) => each === name || Object.hasOwn(row, each));
  return {
    ...signsOf(row),
    ...Object.fromEntries(wanted.map((each) => [each, each === name ? key : (row[each] ?? null)])),
  };
}
