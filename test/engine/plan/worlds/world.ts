import type { AtEnd } from '../../../support/end-of-file.ts';
import { startStandInUpstream } from '../../../support/stand-in-upstream.ts';
import { createProject, serveProject, sourceOf } from '../../../support/temporary-project.ts';

export type Item = Readonly<Record<string, string | number | boolean>>;
type Items = readonly Item[];

interface Filter {
  readonly property: string;
  readonly op: 'eq' | 'in' | 'ge' | 'le' | 'gt' | 'lt';
  readonly description?: string;
}

/** A list of an API in pages, with parameters that filter and sort it, and a read by key. */
export interface Collection {
  readonly path: string;
  readonly schema: string;
  readonly key: string;
  readonly rows: Items;
  /**
   * `cursor`: by the last key; `page` and `offset`: numbers and a total; `link`: a header field; `token`: a token of the
   * answer before.
   */
  readonly paging: 'cursor' | 'page' | 'offset' | 'link' | 'token';
  readonly items?: string;
  readonly properties: Readonly<Record<string, object>>;
  readonly filters?: Readonly<Record<string, Filter>>;
  /** Filters that do something else than their names say. */
  readonly lies?: Readonly<Record<string, (rows: Items, value: string) => Items>>;
  readonly sorts?: {
    readonly parameter: string;
    readonly values: Readonly<Record<string, readonly [property: string, direction: 1 | -1]>>;
  };
}

/** A query, the fewest calls that answer it, and the keys of its rows, or its number. */
export interface Question {
  readonly query: string;
  readonly fewest: number;
  readonly expected: readonly (string | number)[] | number;
  /** The rows may come in any order. */
  readonly anyOrder?: true;
}

export const question = (
  query: string,
  fewest: number,
  expected: Question['expected'],
  more: Pick<Question, 'anyOrder'> = {},
): Question => ({ query, fewest, expected, ...more });

export interface World {
  readonly collections: readonly Collection[];
  readonly questions: readonly Question[];
}

const LARGEST = 100;
const SIZES = { cursor: 'limit', page: 'per_page', offset: 'limit', link: 'per_page', token: 'page_size' };
const PLACES = {
  cursor: 'starting_after',
  page: 'page',
  offset: 'offset',
  link: 'page',
  token: 'page_token',
};

const COMPARE: Readonly<Record<Filter['op'], (has: Item[string], sent: string) => boolean>> = {
  eq: (has, sent) => String(has) === sent,
  in: (has, sent) => sent.split(',').includes(String(has)),
  ge: (has, sent) => has >= typed(has, sent),
  le: (has, sent) => has <= typed(has, sent),
  gt: (has, sent) => has > typed(has, sent),
  lt: (has, sent) => has < typed(has, sent),
};

function typed(like: Item[string], text: string): Item[string] {
  return typeof like === 'number' ? Number(text) : text;
}

/** Serves the world, and a gateway before it. */
export async function serveWorld({ collections }: World, atEnd: AtEnd) {
  let calls = 0;
  const upstream = await startStandInUpstream(({ target }, reply) => {
    calls += 1;
    const url = new URL(target, 'http://world');
    const list = collections.find(({ path }) => path === url.pathname);
    if (list !== undefined) {
      const { body, link } = pageOf(list, url);
      return reply.json(body, link === undefined ? {} : { link });
    }
    const [, path, key = ''] = /^(.*)\/([^/]+)$/.exec(url.pathname) ?? [];
    const owner = collections.find((each) => each.path === path);
    const found = owner?.rows.find((row) => String(row[owner.key]) === decodeURIComponent(key));
    return found === undefined ? reply.send(404, '{}') : reply.json(found);
  });
  atEnd(() => upstream.close());
  const files = {
    'api.json': JSON.stringify(documentOf(collections)),
    '.meshrc.yaml': `sources:\n${sourceOf('World', './api.json', upstream.url)}`,
  };
  const { gateway } = await serveProject(createProject(files, atEnd), {}, atEnd);
  return {
    /** The answer with the pages that its next links lead to, and the calls that it took. */
    async ask(query: string, headers: Readonly<Record<string, string>> = {}) {
      calls = 0;
      const rows: Readonly<Record<string, unknown>>[] = [];
      for (let url: string | undefined = `${gateway.url}/odata/${query}`; url !== undefined; ) {
        const response = await fetch(url, { headers });
        const text = await response.text();
        if (!response.ok) return { calls, text, rows };
        if (!text.startsWith('{')) return { calls, text, rows };
        const body = JSON.parse(text);
        rows.push(...(body.value ?? [body]));
        url = body['@odata.nextLink'];
      }
      return { calls, text: undefined, rows };
    },
  };
}

function pageOf(list: Collection, url: URL): { readonly body: unknown; readonly link?: string } {
  const parameter = (name: string): string | undefined => url.searchParams.get(name) ?? undefined;
  const { filters = {}, lies = {}, sorts, paging, key, items = 'data' } = list;
  let { rows } = list;
  for (const [name, { property, op }] of Object.entries(filters)) {
    const value = parameter(name);
    if (value === undefined) continue;
    const does = lies[name] ?? ((all) => all.filter((row) => COMPARE[op](row[property] ?? '', value)));
    rows = does(rows, value);
  }
  const [property, direction] = sorts?.values[parameter(sorts.parameter) ?? ''] ?? [];
  if (property !== undefined && direction !== undefined)
    rows = rows.toSorted((a, b) => ((a[property] ?? 0) < (b[property] ?? 0) ? -direction : direction));
  const size = Math.min(LARGEST, Number(parameter(SIZES[paging]) ?? 20));
  const place = parameter(PLACES[paging]);
  const start =
    paging === 'cursor'
      ? rows.findIndex((row) => String(row[key]) === place) + 1
      : paging === 'page' || paging === 'link'
        ? (Number(place ?? 1) - 1) * size
        : Number(place ?? 0);
  const part = rows.slice(start, start + size);
  const isMore = start + size < rows.length;
  switch (paging) {
    case 'cursor':
      return { body: { [items]: part, has_more: isMore } };
    case 'token':
      return { body: { [items]: part, next_page_token: isMore ? String(start + size) : null } };
    case 'link': {
      const next = new URL(url);
      next.searchParams.set('page', String(start / size + 2));
      return { body: part, ...(isMore && { link: `<${next.pathname}${next.search}>; rel="next"` }) };
    }
    default:
      return { body: { [items]: part, total: rows.length } };
  }
}

function documentOf(collections: readonly Collection[]): object {
  const schemas = collections.map(({ schema, key, properties }) => [
    schema,
    { type: 'object', required: [key], properties },
  ]);
  const paths = collections.flatMap((list) => [
    [list.path, { get: listOperation(list) }],
    [`${list.path}/{${list.key}}`, { get: itemOperation(list) }],
  ]);
  return {
    openapi: '3.1.0',
    info: { title: 'World', version: '1' },
    paths: Object.fromEntries(paths),
    components: { schemas: Object.fromEntries(schemas) },
  };
}

function listOperation({
  schema,
  paging,
  items = 'data',
  properties,
  filters = {},
  sorts,
}: Collection): object {
  const all = { type: 'array', items: { $ref: `#/components/schemas/${schema}` } };
  const more = {
    cursor: { has_more: { type: 'boolean' } },
    token: { next_page_token: { type: ['string', 'null'] } },
    page: { total: { type: 'integer' } },
    offset: { total: { type: 'integer' } },
    link: {},
  }[paging];
  const isNumber = paging !== 'cursor' && paging !== 'token';
  const parameters = [
    { name: SIZES[paging], schema: { type: 'integer', minimum: 1, maximum: LARGEST, default: 20 } },
    {
      name: PLACES[paging],
      schema: isNumber ? { type: 'integer', default: paging === 'offset' ? 0 : 1 } : { type: 'string' },
    },
    ...Object.entries(filters).map(([name, { property, op, description }]) => ({
      name,
      description,
      ...(op === 'in'
        ? { style: 'form', explode: false, schema: { type: 'array', items: properties[property] } }
        : { schema: properties[property] }),
    })),
    ...(sorts === undefined
      ? []
      : [{ name: sorts.parameter, schema: { type: 'string', enum: Object.keys(sorts.values) } }]),
  ];
  const body = paging === 'link' ? all : { type: 'object', properties: { [items]: all, ...more } };
  const headers = paging === 'link' ? { Link: { schema: { type: 'string' } } } : {};
  const content = { 'application/json': { schema: body } };
  return {
    operationId: `list${schema}`,
    parameters: parameters.map((each) => ({ in: 'query', ...each })),
    responses: { 200: { description: 'ok', headers, content } },
  };
}

function itemOperation({ schema, key, properties }: Collection): object {
  const content = { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } };
  return {
    operationId: `get${schema}`,
    parameters: [{ name: key, in: 'path', required: true, schema: properties[key] }],
    responses: { 200: { description: 'ok', content }, 404: { description: 'none' } },
  };
}
