export type Row = Readonly<Record<string, unknown>>;

/** Of an answer that is no 200. */
export interface ODataError {
  readonly code: string;
  readonly message: string;
}

/** A collection as a client sees it, with all the pages that links lead to. */
export interface AllRows {
  readonly rows: readonly Row[];
  /** The error in place of the last page. */
  readonly error: ODataError | undefined;
}

export interface Count {
  readonly value: unknown;
  readonly error: ODataError | undefined;
}

/** A client that takes what it gets. */
export interface ODataClient {
  all(resource: string, filter?: string): Promise<AllRows>;
  /** The first row; undefined without one, or for an error. */
  first(resource: string): Promise<Row | undefined>;
  count(resource: string, filter?: string): Promise<Count>;
  exists(resource: string): Promise<boolean>;
}

/** Pages that it follows; more would not end. */
const MOST_LINKS = 100;

/** `service`: the URL of the service's root, with a slash at its end. */
export function createODataClient(service: string): ODataClient {
  const ask = async (url: string): Promise<{ readonly status: number; readonly body: Row }> => {
    const response = await fetch(new URL(url, service), { headers: { accept: 'application/json' } });
    const body: unknown = await response.json();
    return { status: response.status, body: isRow(body) ? body : { value: body } };
  };
  return {
    async all(resource, filter) {
      const rows: Row[] = [];
      let url: string | undefined = resource + filterOption(filter);
      for (let links = 0; url !== undefined && links < MOST_LINKS; links++) {
        const { status, body } = await ask(url);
        const error = errorOf(status, body);
        if (error !== undefined) return { rows, error };
        rows.push(...(Array.isArray(body['value']) ? body['value'].filter(isRow) : []));
        const next: unknown = body['@odata.nextLink'];
        url = typeof next === 'string' ? next : undefined;
      }
      return { rows, error: undefined };
    },
    async first(resource) {
      const { body } = await ask(`${resource}?$top=1`);
      return Array.isArray(body['value']) ? body['value'].find(isRow) : undefined;
    },
    async count(resource, filter) {
      const { status, body } = await ask(`${resource}/$count${filterOption(filter)}`);
      return { value: body['value'], error: errorOf(status, body) };
    },
    exists: async (resource) => (await ask(resource)).status === 200,
  };
}

function filterOption(filter = ''): string {
  return filter === '' ? '' : `?$filter=${encodeURIComponent(filter)}`;
}

function errorOf(status: number, body: Row): ODataError | undefined {
  if (status === 200) return undefined;
  const error = isRow(body['error']) ? body['error'] : {};
  return { code: String(error['code'] ?? status), message: String(error['message'] ?? status) };
}

export function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
