import { onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import type { AtEnd } from '../../support/end-of-file.ts';
import { startStandInUpstream } from '../../support/stand-in-upstream.ts';
import { createProject, serveProject, sourceOf } from '../../support/temporary-project.ts';

const string = { type: 'string' };
const integer = { type: 'integer' };
/** Some generators declare every id as a number. */
const number = { type: 'number' };

/** 60 makers in pages of 10, with cursors. */
export const MAKERS = Array.from({ length: 60 }, (_, index) => ({
  id: `m${index + 1}`,
  name: `Maker ${index + 1}`,
  country: ['DE', 'FR', 'US'][index % 3] ?? '',
}));

/** 200 parts in pages of 20, with numbers and a total. */
export const PARTS = Array.from({ length: 200 }, (_, index) => ({
  id: index + 1,
  maker_id: `m${(index % 40) + 1}`,
  box_id: (index % 30) + 1001,
  weight: (index * 7) % 100,
  made_at: new Date(Date.UTC(2025, 0, 1 + ((index * 3) % 200))).toISOString(),
}));

/** 30 boxes, on one page. */
const BOXES = Array.from({ length: 30 }, (_, index) => ({
  id: index + 1001,
  label: `Box ${index + 1}`,
}));

function list(schema: string, parameters: readonly object[], more: object): object {
  const items = { type: 'array', items: { $ref: `#/components/schemas/${schema}` } };
  const body = { type: 'object', required: ['data'], properties: { data: items, ...more } };
  const content = { 'application/json': { schema: body } };
  return { operationId: `list${schema}`, parameters, responses: { 200: { description: 'ok', content } } };
}

function item(schema: string, type: object, links: object = {}): object {
  const content = { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } };
  return {
    get: {
      operationId: `get${schema}`,
      parameters: [{ name: 'id', in: 'path', required: true, schema: type }],
      responses: { 200: { description: 'ok', content, links }, 404: { description: 'none' } },
    },
  };
}

function query(name: string, schema: object, more: object = {}): object {
  return { name, in: 'query', schema, ...more };
}

const SIZE = query('limit', { type: 'integer', minimum: 1, maximum: 10, default: 10 });

export const SHOP_DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  servers: [{ url: 'http://127.0.0.1:1' }],
  paths: {
    '/makers': {
      get: list('Maker', [SIZE, query('starting_after', string), query('country', string)], {
        has_more: { type: 'boolean' },
      }),
    },
    '/makers/{id}': {
      ...item('Maker', string, {
        parts: { operationId: 'listPart', parameters: { maker_id: '$response.body#/id' } },
      }),
      delete: {
        operationId: 'deleteMaker',
        parameters: [{ name: 'id', in: 'path', required: true, schema: string }],
        responses: { 204: { description: 'gone' } },
      },
    },
    '/parts': {
      get: list(
        'Part',
        [
          query('page', { type: 'integer', minimum: 1, default: 1 }),
          query('per_page', { type: 'integer', minimum: 1, maximum: 20, default: 20 }),
          query('maker_id', string),
          query('ids', { type: 'array', items: integer }, { style: 'form', explode: false }),
          query('made_after', { type: 'string', format: 'date-time' }),
          query('sort', { type: 'string', enum: ['made_at', '-made_at'] }),
        ],
        { page: integer, per_page: integer, total: integer },
      ),
    },
    '/parts/{id}': item('Part', integer, {
      maker: { operationId: 'getMaker', parameters: { id: '$response.body#/maker_id' } },
      box: { operationId: 'getBox', parameters: { id: '$response.body#/box_id' } },
    }),
    '/boxes': { get: list('Box', [], {}) },
    '/boxes/{id}': item('Box', number),
  },
  components: {
    schemas: {
      Maker: {
        type: 'object',
        required: ['id'],
        properties: { id: string, name: string, country: string },
      },
      Part: {
        type: 'object',
        required: ['id', 'maker_id', 'box_id', 'weight', 'made_at'],
        properties: {
          id: integer,
          maker_id: string,
          box_id: number,
          weight: integer,
          made_at: { type: 'string', format: 'date-time' },
        },
      },
      Box: { type: 'object', required: ['id'], properties: { id: number, label: string } },
    },
  },
};

type Item = Readonly<Record<string, unknown>>;

function answerOf(target: string): object | undefined {
  const { pathname, searchParams: asked } = new URL(target, 'http://shop');
  const [, name, key] = pathname.split('/');
  const rows = ({ makers: MAKERS, parts: PARTS, boxes: BOXES } as Readonly<Record<string, readonly Item[]>>)[
    name ?? ''
  ];
  if (key !== undefined) return rows?.find(({ id }) => String(id) === decodeURIComponent(key));
  const ids = asked.get('ids')?.split(',');
  const [order, after] = [asked.get('sort'), asked.get('made_after')];
  const sign = order === '-made_at' ? -1 : 1;
  const sorted =
    order === null
      ? rows
      : rows?.toSorted((a, b) => sign * (String(a['made_at']) < String(b['made_at']) ? -1 : 1));
  const found = sorted
    ?.filter((row) => after === null || String(row['made_at']) > after)
    .filter((row) => asked.get('maker_id') === null || row['maker_id'] === asked.get('maker_id'))
    .filter((row) => asked.get('country') === null || row['country'] === asked.get('country'))
    .filter(({ id }) => ids === undefined || ids.includes(String(id)));
  if (found === undefined || name === 'boxes') return found && { data: found };
  if (name === 'makers') {
    const start = found.findIndex(({ id }) => id === asked.get('starting_after')) + 1;
    const size = Number(asked.get('limit') ?? 10);
    return { data: found.slice(start, start + size), has_more: start + size < found.length };
  }
  const [page, size] = [Number(asked.get('page') ?? 1), Number(asked.get('per_page') ?? 20)];
  const data = found.slice((page - 1) * size, page * size);
  return { data, page, per_page: size, total: found.length };
}

/** The shop behind a gateway, which counts the calls that it gets. */
export async function serveShop(atEnd: AtEnd = onTestFinished, document: object = SHOP_DOCUMENT) {
  let isRefused = (_target: string): boolean => false;
  let refusal = 400;
  let targetOf = (target: string): string => target;
  const upstream = await startStandInUpstream(({ method, target }, reply) => {
    if (isRefused(target)) return reply.send(refusal, '{}');
    if (method === 'DELETE') return reply.send(204);
    const answer = answerOf(targetOf(target));
    if (answer === undefined) reply.send(404, '{}');
    else reply.json(answer);
  });
  atEnd(() => upstream.close());
  const files = {
    'api.yaml': stringify(document),
    '.meshrc.yaml': `sources:\n${sourceOf('Shop', './api.yaml', upstream.url)}`,
  };
  const served = await serveProject(createProject(files, atEnd), {}, atEnd);
  let taken = 0;
  const calls = (): readonly string[] => {
    const made = upstream.requests.slice(taken).map(({ target }) => decodeURIComponent(target));
    taken = upstream.requests.length;
    return made;
  };
  return {
    calls,
    /** Answers some requests with the status from now on. */
    refuse(isSo: (target: string) => boolean, status: number): void {
      isRefused = isSo;
      refusal = status;
    },
    /** Answers requests as other ones from now on. */
    answerAs(other: (target: string) => string): void {
      targetOf = other;
    },
    async metrics(): Promise<string> {
      return (await fetch(`${served.gateway.url}/metrics`)).text();
    },
    async remove(path: string): Promise<void> {
      await fetch(`${served.gateway.url}/odata/${path}`, { method: 'DELETE' });
    },
    async ask(path: string) {
      const response = await fetch(`${served.gateway.url}/odata/${path}`);
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, calls: calls() };
    },
    async query(text: string) {
      const response = await fetch(`${served.gateway.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: text }),
      });
      return { answer: await response.json(), calls: calls() };
    },
  };
}
