import type { EntitySource } from '../../../../contract/entity-source.ts';
import type { Row, Value } from '../../../../contract/row.ts';
import type { EntityType, ValueType } from '../../../../model/edm.ts';

/** A source that changes nothing: a change is checked with it before it is made. */
export interface DryRunSource {
  readonly source: EntitySource;
  /** Whether an answer was made up: what follows from it says nothing about the request. */
  readonly isGuessing: () => boolean;
  /** Whether that was the answer to a read, on which the change may depend. */
  readonly hasGuessedRead: () => boolean;
}

/** Reads from the given source, or makes up what would be read where there is none to be asked. */
export function createDryRunSource(reads: EntitySource | undefined): DryRunSource {
  let changes = 0;
  let guessedReads = 0;
  const noteRead = (): void => {
    if (changes === 0) guessedReads += 1;
  };
  const source: EntitySource = {
    async readCollection(read, call) {
      if (reads !== undefined) return reads.readCollection(read, call);
      noteRead();
      return { data: [], version: undefined };
    },
    async readChanges(read, call) {
      if (reads !== undefined) return reads.readChanges(read, call);
      noteRead();
      return { changed: [], removed: [], next: '' };
    },
    async readEntity(read, call) {
      if (reads !== undefined) return reads.readEntity(read, call);
      noteRead();
      return { data: madeUp(read), version: undefined };
    },
    async insert(insert) {
      changes += 1;
      return madeUp(insert);
    },
    async update(update) {
      changes += 1;
      return madeUp(update);
    },
    async delete() {
      changes += 1;
    },
    async call() {
      changes += 1;
      return { data: null, version: undefined };
    },
    async readStream(read, call) {
      if (reads !== undefined && read.kind === 'stream') return reads.readStream(read, call);
      noteRead();
      return { kind: 'absent', etag: undefined };
    },
    async writeStream() {
      changes += 1;
      return { etag: undefined };
    },
    async deleteStream() {
      changes += 1;
    },
  };
  return {
    source,
    isGuessing: () => changes + guessedReads > 0,
    hasGuessedRead: () => guessedReads > 0,
  };
}

interface Wanted {
  readonly entityType: EntityType;
  readonly properties: readonly string[];
}

/** Null but for the key, which is any: URLs are made of it. */
function madeUp({ entityType: { key, structuralProperties }, properties }: Wanted): Row {
  const values = properties.map((name): [string, Value] => {
    const type = key.includes(name) ? structuralProperties.get(name)?.type : undefined;
    return [name, type === undefined ? null : sampleKey(type)];
  });
  return Object.fromEntries(values);
}

const SAMPLES: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['Edm.Boolean', false],
  ['Edm.Byte', 0],
  ['Edm.Date', '2000-01-01'],
  ['Edm.DateTimeOffset', '2000-01-01T00:00:00Z'],
  ['Edm.Decimal', 0],
  ['Edm.Double', 0],
  ['Edm.Duration', 'PT0S'],
  ['Edm.Guid', '00000000-0000-0000-0000-000000000000'],
  ['Edm.Int16', 0],
  ['Edm.Int32', 0],
  ['Edm.Int64', 0],
  ['Edm.SByte', 0],
  ['Edm.Single', 0],
  ['Edm.TimeOfDay', '00:00:00'],
]);

function sampleKey({ name }: ValueType): Value {
  return SAMPLES.get(name) ?? '0';
}
