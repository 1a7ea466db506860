import type { MockApi, MockRequest } from '../../support/mock-api/mock-api.ts';
import { entityPath, literal, literalsFor } from './literal.ts';
import {
  type AllRows,
  type Count,
  isRow,
  type ODataClient,
  type ODataError,
  type Row,
} from './odata-client.ts';
import type { ServedTable, TypedProperty } from './served-model.ts';

/** The results of a client for a table. */
export interface TableReading {
  /** `Customers`, or `Customers/Orders`. */
  readonly name: string;
  /** The path of the list operation that was called for it; undefined where none was. */
  readonly path: string | undefined;
  readonly outcome: Outcome;
  /** Of the error, or of what was wrong. */
  readonly message: string;
}

/**
 * The table is `whole`; or it is `said` that the rest cannot be had; or less came as if it were the whole
 * (`silent`); or it cannot be read (`failed`); or all came, and something else is `wrong`. It is `no list`
 * where no list was called: what is embedded in the entity above, or cannot be listed at all.
 */
export type Outcome = 'whole' | 'said' | 'silent' | 'failed' | 'wrong' | 'no list';

/** Reads tables through the gateway, and sees in the mock's log which lists were called. */
export interface TableReader {
  readonly client: ODataClient;
  readonly mock: MockApi;
}

/** A table, and an entity of it, which other tables lie below. */
export interface ReadTable {
  readonly table: ServedTable;
  readonly reading: TableReading;
  /** The filter, and the rows read with it. */
  readonly filtered: FilteredRows | undefined;
  /** The resource path of the entity; undefined where none is known. */
  readonly entity: string | undefined;
}

/** Reads all rows, their number, and one by its key. */
export async function readTable(
  reader: TableReader,
  table: ServedTable,
  parent: ReadTable | undefined,
): Promise<ReadTable> {
  const resource = parent?.entity === undefined ? table.name : `${parent.entity}/${table.name}`;
  const name = parent === undefined ? table.name : `${parent.reading.name}/${table.name}`;
  if (!table.isListed) {
    const reading: TableReading = { name, path: undefined, outcome: 'no list', message: '' };
    return { table, reading, filtered: undefined, entity: await findEntity(reader, resource, table) };
  }
  const filtered =
    (await readOwned(reader, resource, table)) ?? (await readFiltered(reader, resource, table));
  const { all, fixed, calls } = filtered;
  const filter = filterOf(fixed);
  const path = calls.findLast((call) => call.isList && call.path !== parent?.reading.path)?.path;
  const most = path === undefined ? undefined : reader.mock.rowsOf(path);
  const entity =
    rowPath(resource, table, all.rows[6] ?? all.rows[0]) ?? (await findEntity(reader, resource, table));
  const key = keyIn(parent?.entity);
  const isPart =
    table.isRelated && !calls.some(({ isList, target }) => isList && target.split('?', 1)[0]?.includes(key));
  if ((most === undefined || isPart) && all.error === undefined) {
    // Entities below others may be embedded in them, or be those of a set that refer to them; a set that nothing
    // is read for is empty without reason.
    const isEmpty = parent === undefined && all.rows.length === 0;
    const judgement = isEmpty ? NOTHING_READ : ({ outcome: 'no list', message: '' } as const);
    return { table, reading: { name, path, ...judgement }, filtered, entity };
  }
  const rows = most ?? 0;
  const count = await reader.client.count(resource, filter);
  const row = all.rows[Math.min(200, rows) - 1];
  const found = row && (await countByKey(reader, resource, table, filter, row));
  return { table, reading: { name, path, ...judged(all, count, found, rows) }, filtered, entity };
}

/** The key at the end of a resource path. */
function keyIn(entity = ''): string {
  return /\('?([^()]*?)'?\)$/.exec(entity)?.[1] ?? '';
}

const NOTHING_READ = { outcome: 'silent', message: 'no rows, and no list was called' } as const;

/** A property that has one value in all rows, and the value as a URL has it. */
export interface FixedProperty extends TypedProperty {
  readonly literal: string;
}

export interface FilteredRows {
  readonly all: AllRows;
  readonly fixed: readonly FixedProperty[];
  /** The requests that the mock received. */
  readonly calls: readonly MockRequest[];
}

/** For a set over several owners, the list of the first one; undefined for other sets. */
async function readOwned(
  { client, mock }: TableReader,
  resource: string,
  { parent, key, required }: ServedTable,
): Promise<FilteredRows | undefined> {
  if (parent !== undefined || required.length > 0 || key.length < 2) return undefined;
  const before = mock.requests.length;
  const first = await client.first(resource);
  const list = mock.requests.slice(before).findLast(({ isList }) => isList)?.path ?? '';
  const owners = list.match(/\{/g)?.length ?? 0;
  if (first === undefined || owners === 0) return undefined;
  const fixed = key
    .slice(0, owners)
    .map(({ path, type }) => ({ path, type, literal: literal(valueAt(first, path), type) }));
  const reading = mock.requests.length;
  const all = await client.all(resource, filterOf(fixed));
  return { all, fixed, calls: mock.requests.slice(reading) };
}

function filterOf(fixed: readonly FixedProperty[]): string {
  return fixed.map(({ path, literal }) => `${path} eq ${literal}`).join(' and ');
}

/** If the API does not know the values of a required filter, reads again with known ones. */
async function readFiltered(
  { client, mock }: TableReader,
  resource: string,
  { required }: ServedTable,
): Promise<FilteredRows> {
  const read = async (values?: Readonly<Record<string, string>>): Promise<FilteredRows> => {
    const literals = literalsFor(required, values);
    const fixed = required.map((property, index) => ({ ...property, literal: literals[index] ?? 'null' }));
    const before = mock.requests.length;
    const all = await client.all(resource, filterOf(fixed));
    return { all, fixed, calls: mock.requests.slice(before) };
  };
  const first = await read();
  const refused = first.calls.findLast(({ status }) => status >= 400)?.path;
  if (required.length === 0 || (refused === undefined && first.calls.length > 0)) return first;
  // No call at all: the gateway knows that no row can have the value.
  const paths = refused === undefined ? mock.listsWith(required.map(({ path }) => path)) : [refused];
  let last = first;
  for (const path of paths) {
    last = await read(mock.valuesOf(path));
    if (last.calls.length > 0) return last;
  }
  return last;
}

/** An entity with a key that the API has, for sets that no list contains. */
async function findEntity(
  { client, mock }: TableReader,
  resource: string,
  { key }: ServedTable,
): Promise<string | undefined> {
  if (key.length === 0) return undefined;
  const before = mock.requests.length;
  const any = entityPath(resource, key, literalsFor(key));
  if (await client.exists(any)) return any;
  const path = mock.requests.slice(before).findLast(({ isList }) => !isList)?.path;
  if (path === undefined) return undefined;
  const known = entityPath(resource, key, literalsFor(key, mock.valuesOf(path)));
  return (await client.exists(known)) ? known : undefined;
}

/** `found`: how many rows have the key of one of the last; undefined where so many did not come. */
function judged(
  all: AllRows,
  count: Count,
  found: number | undefined,
  most: number,
): Pick<TableReading, 'outcome' | 'message'> {
  const error = all.error ?? count.error;
  const hasPart =
    (all.error === undefined && all.rows.length < most) ||
    (count.error === undefined && Number(count.value) < most);
  if (error !== undefined) {
    return { outcome: hasPart ? 'silent' : isReported(error) ? 'said' : 'failed', message: error.message };
  }
  if (!hasPart && all.rows.length === most && count.value === most && found === 1) {
    return { outcome: 'whole', message: '' };
  }
  const message = `${all.rows.length} of ${most} rows, $count ${count.value}, ${found ?? 'none'} by key`;
  return { outcome: hasPart || found === 0 ? 'silent' : 'wrong', message };
}

/** The list is longer than the response, and the client gets an error. */
function isReported({ message }: ODataError): boolean {
  return /does not say|not the whole|the rest/.test(message);
}

/** The number of rows with the key of that row. */
async function countByKey(
  { client }: TableReader,
  resource: string,
  { key, required }: ServedTable,
  filter: string,
  row: Row,
): Promise<number> {
  const compared = key
    .filter(({ path }) => !required.some((property) => property.path === path))
    .map(({ path, type }) => `${path} eq ${literal(valueAt(row, path), type)}`);
  const { rows } = await client.all(
    resource,
    [filter, ...compared].filter((part) => part !== '').join(' and '),
  );
  return rows.length;
}

export function rowPath(resource: string, { key }: ServedTable, row: Row | undefined): string | undefined {
  if (row === undefined || key.length === 0) return undefined;
  return entityPath(
    resource,
    key,
    key.map(({ path, type }) => literal(valueAt(row, path), type)),
  );
}

export function valueAt(row: Row, path: string): unknown {
  return path.split('/').reduce<unknown>((value, name) => (isRow(value) ? value[name] : undefined), row);
}
