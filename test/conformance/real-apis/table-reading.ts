import type { MockApi } from '../../support/mock-api/mock-api.ts';
import type { ServedTable, TypedProperty } from './served-model.ts';

type Row = Readonly<Record<string, unknown>>;

/** What a client gets of a table. */
export interface TableReading {
  /** `Customers`, or `Customers/Orders`. */
  readonly name: string;
  /** The path of the operation that was called for it; undefined where none was. */
  readonly path: string | undefined;
  /** Rows of all its pages. */
  readonly rows: number;
  readonly outcome: Outcome;
  /** Of the error, or of what was wrong. */
  readonly message: string;
}

/**
 * The table is `whole`; or it is `said` that the rest cannot be had; or less came as if it were the whole
 * (`silent`); or it cannot be read at all (`failed`); or all came, and something else is `wrong`.
 */
export type Outcome = 'whole' | 'said' | 'silent' | 'failed' | 'wrong';

/** Reads tables through the gateway, and sees in the mock's log which lists were called. */
export interface TableReader {
  readonly gatewayUrl: string;
  readonly mock: MockApi;
}

/** A table with an entity of it, which other tables lie below. */
export interface ReadTable {
  readonly reading: TableReading;
  /** The resource path of one entity; undefined where there is none. */
  readonly entity: string | undefined;
}

/** Rows of most lists. */
const ROWS = 250;

const MOST_LINKS = 100;

/** Reads all rows, their number, and one by its key. */
export async function readTable(
  reader: TableReader,
  table: ServedTable,
  parent: ReadTable | undefined,
): Promise<ReadTable> {
  const resource = parent?.entity === undefined ? table.name : `${parent.entity}/${table.name}`;
  const name = parent === undefined ? table.name : `${parent.reading.name}/${table.name}`;
  const fixed = table.required.map((property) => `${property.path} eq ${sampleLiteral(property)}`);
  const before = reader.mock.requests.length;
  const all = await readAll(reader, resource, fixed);
  const called = reader.mock.requests.slice(before).flatMap((call) => (call.isList ? [call.path] : []));
  const path = called.findLast((candidate) => candidate !== parent?.reading.path);
  const most = (path === undefined ? undefined : reader.mock.rowsOf(path)) ?? ROWS;
  const count = await readCount(reader, resource, fixed);
  const row = all.rows[Math.min(200, most) - 1];
  const found = row && (await readByKey(reader, resource, table, fixed, row));
  return {
    reading: { name, path, rows: all.rows.length, ...judged(all, count, found, most) },
    entity: entityOf(resource, table, all.rows[6] ?? all.rows[0]),
  };
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
    return { outcome: hasPart ? 'silent' : isSaid(error) ? 'said' : 'failed', message: error.message };
  }
  if (!hasPart && all.rows.length === most && count.value === most && found === 1) {
    return { outcome: 'whole', message: '' };
  }
  const message = `${all.rows.length} of ${most} rows, $count ${count.value}, ${found ?? 'none'} by key`;
  return { outcome: hasPart || found === 0 ? 'silent' : 'wrong', message };
}

interface ODataError {
  readonly code: string;
  readonly message: string;
}

/** The list is known to be longer than what came, and the client is told. */
function isSaid(error: ODataError | undefined): boolean {
  return error !== undefined && /does not say|not the whole|the rest/.test(error.message);
}

async function ask(
  reader: TableReader,
  url: string,
): Promise<{ readonly status: number; readonly body: Row }> {
  const target = new URL(url, `${reader.gatewayUrl}/odata/`);
  const response = await fetch(target, { headers: { accept: 'application/json' } });
  const body: unknown = await response.json();
  return { status: response.status, body: isRow(body) ? body : { value: body } };
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function errorOf(status: number, body: Row): ODataError | undefined {
  if (status === 200) return undefined;
  const error = isRow(body['error']) ? body['error'] : {};
  return { code: String(error['code'] ?? status), message: String(error['message'] ?? status) };
}

interface AllRows {
  readonly rows: readonly Row[];
  readonly error: ODataError | undefined;
}

async function readAll(reader: TableReader, resource: string, fixed: readonly string[]): Promise<AllRows> {
  const rows: Row[] = [];
  let url: string | undefined = resource + options({ $filter: fixed.join(' and ') });
  for (let links = 0; url !== undefined && links < MOST_LINKS; links++) {
    const { status, body } = await ask(reader, url);
    const error = errorOf(status, body);
    if (error !== undefined) return { rows, error };
    rows.push(...(Array.isArray(body['value']) ? body['value'].filter(isRow) : []));
    const next: unknown = body['@odata.nextLink'] ?? body['@nextLink'];
    url = typeof next === 'string' ? next : undefined;
  }
  return { rows, error: undefined };
}

interface Count {
  readonly value: unknown;
  readonly error: ODataError | undefined;
}

async function readCount(reader: TableReader, resource: string, fixed: readonly string[]): Promise<Count> {
  const { status, body } = await ask(
    reader,
    `${resource}/$count${options({ $filter: fixed.join(' and ') })}`,
  );
  return { value: body['value'], error: errorOf(status, body) };
}

/** How many rows have the key of that row. */
async function readByKey(
  reader: TableReader,
  resource: string,
  table: ServedTable,
  fixed: readonly string[],
  row: Row,
): Promise<number> {
  const compared = table.key
    .filter(({ path }) => !table.required.some((property) => property.path === path))
    .map((part) => `${part.path} eq ${literal(valueAt(row, part.path), part.type)}`);
  const { body } = await ask(reader, resource + options({ $filter: [...fixed, ...compared].join(' and ') }));
  return Array.isArray(body['value']) ? body['value'].length : 0;
}

function options(given: Readonly<Record<string, string>>): string {
  const written = Object.entries(given)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return written.length === 0 ? '' : `?${written.join('&')}`;
}

function entityOf(resource: string, { key }: ServedTable, row: Row | undefined): string | undefined {
  if (row === undefined || key.length === 0) return undefined;
  const [only] = key;
  const write = (part: (typeof key)[number]) =>
    encodeURIComponent(literal(valueAt(row, part.path), part.type));
  const written =
    key.length === 1 && only !== undefined ? write(only) : key.map((part) => `${part.alias}=${write(part)}`);
  return `${resource}(${written})`;
}

function valueAt(row: Row, path: string): unknown {
  return path.split('/').reduce<unknown>((value, name) => (isRow(value) ? value[name] : undefined), row);
}

/** OData 4.01 Part 2, 5.1.1.14: a value as a URL has it. */
function literal(value: unknown, type: TypedProperty['type']): string {
  if (value === null || value === undefined) return 'null';
  if (typeof type !== 'string') return `'${value}'`;
  return type === 'Edm.String' ? `'${String(value).replaceAll("'", "''")}'` : String(value);
}

/** Any value that a property of that type may have. */
function sampleLiteral({ type }: TypedProperty): string {
  if (typeof type !== 'string') return literal(type[0], type);
  switch (type) {
    case 'Edm.String':
      return "'p7'";
    case 'Edm.Boolean':
      return 'true';
    case 'Edm.Guid':
      return '00000000-0000-4000-a000-000000000007';
    case 'Edm.Date':
      return '2024-01-07';
    case 'Edm.DateTimeOffset':
      return '2024-01-07T00:00:00Z';
    default:
      return '7';
  }
}
