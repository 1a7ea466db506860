import { onTestFinished } from 'vitest';
import type { AtEnd } from '../support/end-of-file.ts';
import { startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, serveProject, sourceOf } from '../support/temporary-project.ts';

export interface Keeper {
  readonly id: number;
  readonly name: string;
  readonly country: string;
  readonly chief_id: number | null;
}

export interface Crate {
  readonly id: number;
  readonly keeper_id: number | null;
  readonly kind: string;
  readonly code: string;
  readonly note: string | null;
  readonly size: number;
  readonly weight: number;
  readonly price: number;
  readonly debt?: number | null;
  readonly sealed: boolean;
  readonly batch: string;
  readonly made_at: string;
}

/** 24 keepers in pages of 10; the chief of some does not exist. */
export const KEEPERS: readonly Keeper[] = Array.from({ length: 24 }, (_, index) => ({
  id: index + 501,
  name: `Keeper ${index + 1}`,
  country: ['DE', 'FR', 'US'][index % 3] ?? '',
  chief_id: index % 5 === 0 ? null : index % 7 === 0 ? 999 : 501 + (index % 4),
}));

const NOTES = [null, "it's", 'a,b', 'Größe', 'all', ''];

/** 110 crates in pages of 20; the keeper of some does not exist. */
export const CRATES: readonly Crate[] = Array.from({ length: 110 }, (_, index) => ({
  id: index + 1,
  keeper_id: index % 11 === 0 ? null : index % 13 === 0 ? 777 : 501 + ((index * 5) % 24),
  kind: ['box', 'bag', 'jar'][(index * 2) % 3] ?? '',
  code: `C-${String((index * 37) % 55).padStart(3, '0')}`,
  note: NOTES[index % 6] ?? null,
  size: (index + 3) % 9,
  weight: 2000 + ((index * 29) % 80),
  price: 3000 + ((index * 7) % 40) / 10,
  ...(index % 8 !== 0 && { debt: index % 3 === 0 ? null : (index % 20) - 25 }),
  sealed: index % 4 === 0,
  batch: `0000000${(index * 3) % 8}-aaaa-4bbb-8ccc-dddddddddddd`,
  made_at: new Date(Date.UTC(2026, 0, 1) + ((index * 17) % 60) * 3_600_000).toISOString(),
}));

const string = { type: 'string' };
const integer = { type: 'integer' };
const time = { type: 'string', format: 'date-time' };

const query = (name: string, schema: object, more: object = {}) => ({ name, in: 'query', schema, ...more });

function list(schema: string, parameters: readonly object[]): object {
  const items = { type: 'array', items: { $ref: `#/components/schemas/${schema}` } };
  const body = {
    type: 'object',
    required: ['items', 'total'],
    properties: { items, page: integer, total: integer },
  };
  const paging = [
    query('page', { type: 'integer', minimum: 1, default: 1 }),
    query('per_page', { type: 'integer', maximum: 20, default: 20 }),
  ];
  return {
    operationId: `list${schema}`,
    parameters: [...paging, ...parameters],
    responses: { 200: { description: 'ok', content: { 'application/json': { schema: body } } } },
  };
}

function item(schema: string): object {
  const content = { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } };
  return {
    get: {
      operationId: `get${schema}`,
      parameters: [{ name: 'id', in: 'path', required: true, schema: integer }],
      responses: { 200: { description: 'ok', content }, 404: { description: 'none' } },
    },
  };
}

const DEPOT_DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Depot', version: '1' },
  paths: {
    '/keepers': { get: list('Keeper', [query('country', string), query('chief_id', integer)]) },
    '/keepers/{id}': item('Keeper'),
    '/crates': {
      get: list('Crate', [
        query('keeper_id', integer),
        query('ids', { type: 'array', items: integer }, { style: 'form', explode: false }),
        query('kind', { type: 'string', enum: ['box', 'bag', 'jar'] }),
        query('code', string),
        query('note', string),
        query('size', integer),
        query('price', { type: 'number' }),
        query('batch', { type: 'string', format: 'uuid' }),
        query('sealed', { type: 'boolean' }),
        query('min_weight', integer, { description: 'At least this weight.' }),
        query('max_weight', integer),
        query('made_after', time),
        query('sort', { type: 'string', enum: ['made_at', '-made_at', 'size', '-size', 'debt', '-debt'] }),
      ]),
    },
    '/crates/{id}': item('Crate'),
  },
  components: {
    schemas: {
      Keeper: {
        type: 'object',
        required: ['id', 'name', 'country'],
        properties: { id: integer, name: string, country: string, chief_id: { type: ['integer', 'null'] } },
      },
      Crate: {
        type: 'object',
        required: ['id', 'kind', 'code', 'size', 'weight', 'price', 'sealed', 'batch', 'made_at'],
        properties: {
          id: integer,
          keeper_id: { type: ['integer', 'null'] },
          kind: { type: 'string', enum: ['box', 'bag', 'jar'] },
          code: string,
          note: { type: ['string', 'null'] },
          size: integer,
          weight: integer,
          price: { type: 'number' },
          debt: integer,
          sealed: { type: 'boolean' },
          batch: { type: 'string', format: 'uuid' },
          made_at: time,
        },
      },
    },
  },
};

type Rows = readonly Crate[];

/** Filters by parameters of crates, some of which do something else than their names say. */
const PARAMETERS: Readonly<Record<string, (rows: Rows, value: string) => Rows>> = {
  keeper_id: (rows, value) => rows.filter((row) => String(row.keeper_id) === value),
  ids: (rows, value) => rows.filter((row) => value.split(',').includes(String(row.id))),
  // It knows two of its values.
  kind: (rows, value) => rows.filter((row) => row.kind === value && value !== 'jar'),
  code: (rows, value) => rows.filter((row) => row.code.startsWith(value)),
  note: (rows, value) => (value === 'all' ? rows : rows.filter((row) => row.note === value)),
  // Zero is taken for no value.
  size: (rows, value) => (Number(value) === 0 ? rows : rows.filter((row) => row.size === Number(value))),
  // A column of small precision: only fractions of two are found.
  price: (rows, value) => rows.filter((row) => Math.fround(row.price) === Number(value)),
  // The value is compared as text.
  batch: (rows, value) => rows.filter((row) => row.batch === value),
  sealed: (rows, value) => rows.filter((row) => String(row.sealed) === value),
  min_weight: (rows, value) => rows.filter((row) => row.weight >= Number(value)),
  max_weight: (rows, value) => rows.filter((row) => row.weight < Number(value)),
  made_after: (rows, value) => rows.filter((row) => row.made_at > value),
  sort: (rows, value) => sorted(rows, value),
};

/** Null is taken for the greatest. */
function sorted(rows: Rows, value: string): Rows {
  const name = value.replace('-', '');
  const rank = (row: Crate): number => {
    if (name === 'made_at') return Date.parse(row.made_at);
    return name === 'size' ? row.size : (row.debt ?? Number.POSITIVE_INFINITY);
  };
  // Equal ones come in another order than in the list.
  const both = rows.toReversed().toSorted((a, b) => rank(a) - rank(b) || 0);
  return value.startsWith('-') ? both.toReversed() : both;
}

function answerOf(target: string): object | undefined {
  const { pathname, searchParams: asked } = new URL(target, 'http://depot');
  const [, name, key] = pathname.split('/');
  const all: readonly { readonly id: number }[] = name === 'crates' ? CRATES : KEEPERS;
  if (key !== undefined) return all.find(({ id }) => String(id) === key);
  const [country, chief] = [asked.get('country'), asked.get('chief_id')];
  const found =
    name === 'crates'
      ? Object.entries(PARAMETERS).reduce((rows, [parameter, does]) => {
          const value = asked.get(parameter);
          return value === null ? rows : does(rows, value);
        }, CRATES)
      : KEEPERS.filter((row) => country === null || row.country === country).filter(
          (row) => chief === null || String(row.chief_id) === chief,
        );
  const [page, size] = [Number(asked.get('page') ?? 1), Number(asked.get('per_page') ?? 20)];
  return { items: found.slice((page - 1) * size, page * size), page, total: found.length };
}

/** Serves the depot and asks it; the gateway's address is left out of answers. */
export async function serveDepot(
  environment: Readonly<Record<string, string>> = {},
  atEnd: AtEnd = onTestFinished,
) {
  const upstream = await startStandInUpstream(({ target }, reply) => {
    const answer = answerOf(target);
    return answer === undefined ? reply.send(404) : reply.json(answer);
  });
  atEnd(() => upstream.close());
  const project = createProject(
    {
      'api.json': JSON.stringify(DEPOT_DOCUMENT),
      '.meshrc.yaml': `sources:\n${sourceOf('Depot', './api.json', upstream.url)}`,
    },
    atEnd,
  );
  const { gateway } = await serveProject(project, environment, atEnd);
  return {
    /** The calls that the upstream got, oldest first. */
    targets: () => upstream.requests.map(({ target }) => target),
    async ask(path: string, body?: object) {
      const sent = body && {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      };
      const response = await fetch(`${gateway.url}/${path}`, sent);
      const text = (await response.text()).replaceAll(gateway.url, '');
      return { status: response.status, text };
    },
  };
}
