type Json = Readonly<Record<string, unknown>>;

/** A document with one list of things, which is paged in the style that it is named after. */
export interface PagingStyle {
  readonly name: string;
  readonly document: string;
  /** Its list's path, in which a page is asked for as large as the document allows, and none before it. */
  readonly firstPage: string;
}

const INTEGER = { type: 'integer' };
const TEXT = { type: 'string' };
const URL_OR_NULL = { type: ['string', 'null'], format: 'uri' };
const LIMIT = { type: 'integer', minimum: 1, maximum: 100, default: 20 };
const THINGS = { type: 'array', items: { $ref: '#/components/schemas/Thing' } };
const THING = {
  type: 'object',
  required: ['id', 'name'],
  properties: { id: { type: 'integer', minimum: 1 }, name: TEXT },
};

const object = (properties: Json): Json => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});
const content = (schema: Json): Json => ({ 'application/json': { schema } });

interface Style {
  /** Query parameters with their schemas. */
  readonly query: Readonly<Record<string, Json>>;
  readonly answer: Json;
  readonly headers?: Json;
  readonly thing?: Json;
  readonly firstPage: string;
}

function styled(name: string, { query, answer, headers = {}, thing = THING, firstPage }: Style): PagingStyle {
  const parameters = Object.entries(query).map(([parameter, schema]) => ({
    name: parameter,
    in: 'query',
    schema,
  }));
  const id = { name: 'id', in: 'path', required: true, schema: thing === THING ? INTEGER : TEXT };
  const list = { description: 'Things', headers, content: content(answer) };
  const item = { description: 'A thing', content: content({ $ref: '#/components/schemas/Thing' }) };
  const document = {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1' },
    servers: [{ url: 'https://things.example/v1' }],
    paths: {
      '/things': { get: { operationId: 'listThings', parameters, responses: { 200: list } } },
      '/things/{id}': { get: { operationId: 'getThing', parameters: [id], responses: { 200: item } } },
    },
    components: { schemas: { Thing: thing } },
  };
  return { name, document: JSON.stringify(document), firstPage };
}

/** One document for each way that lists are paged in, and for each kind of envelope. */
export const PAGING_STYLES: readonly PagingStyle[] = [
  styled('the whole at once', { query: {}, answer: THINGS, firstPage: '/things' }),
  styled('a Link header', {
    query: { per_page: LIMIT },
    answer: THINGS,
    headers: { Link: { schema: TEXT } },
    firstPage: '/things?per_page=100',
  }),
  styled('a next URL in the body, beside offset and limit', {
    query: { limit: LIMIT, offset: INTEGER },
    answer: object({ count: INTEGER, next: URL_OR_NULL, previous: URL_OR_NULL, results: THINGS }),
    firstPage: '/things?limit=100',
  }),
  styled('a next URL in _links, below _embedded', {
    query: { page: { type: 'integer', default: 0 }, size: LIMIT },
    answer: object({
      _embedded: object({ things: THINGS }),
      _links: { type: 'object', properties: { self: object({ href: TEXT }), next: object({ href: TEXT }) } },
    }),
    firstPage: '/things?size=100',
  }),
  styled('a cursor in the body, in data.items', {
    query: { cursor: TEXT, limit: { ...LIMIT, maximum: 50 } },
    answer: object({ data: { type: 'object', properties: { items: THINGS, next_cursor: TEXT } } }),
    firstPage: '/things?limit=50',
  }),
  styled('has_more and the key of the last row', {
    query: { starting_after: INTEGER, ending_before: INTEGER, limit: LIMIT },
    answer: object({ object: { enum: ['list'] }, data: THINGS, has_more: { type: 'boolean' } }),
    firstPage: '/things?limit=100',
  }),
  styled('page numbers from 1, with a total', {
    query: { page: { type: 'integer', minimum: 1 }, per_page: LIMIT },
    answer: object({ items: THINGS, meta: object({ total: INTEGER, page: INTEGER, per_page: INTEGER }) }),
    firstPage: '/things?per_page=100',
  }),
  styled('page numbers from 0', {
    query: { page: { type: 'integer', default: 0 }, size: LIMIT },
    answer: object({
      content: THINGS,
      totalElements: INTEGER,
      totalPages: INTEGER,
      last: { type: 'boolean' },
    }),
    firstPage: '/things?size=100',
  }),
  styled('an offset, without a total', {
    query: { offset: { type: 'integer', minimum: 0 }, limit: LIMIT },
    answer: THINGS,
    firstPage: '/things?limit=100',
  }),
];
