import { describe, expect, it, onTestFinished } from 'vitest';
import { startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, serveProject } from '../support/temporary-project.ts';
import { ranges, things } from './paged-list.ts';

const answer = (schema: object, links?: object) => ({
  200: { description: 'ok', links, content: { 'application/json': { schema } } },
});
const byId = [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }];
const paged = [
  { name: 'page', in: 'query', schema: { type: 'integer', default: 1 } },
  { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 20 } },
];
const $ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const schema = (...names: readonly string[]) => ({
  type: 'object',
  required: ['id'],
  properties: Object.fromEntries(['id', ...names].map((name) => [name, { type: 'integer' }])),
});

/** Shelves that contain boxes, and toys that a link leads to; each list comes in pages of 20. */
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Shelves', version: '1' },
  paths: {
    '/shelves': {
      get: {
        operationId: 'shelves',
        parameters: paged,
        responses: answer({ type: 'array', items: $ref('Shelf') }),
      },
    },
    '/shelves/{id}': {
      parameters: byId,
      get: {
        operationId: 'shelf',
        responses: answer($ref('Shelf'), {
          Toys: { operationId: 'toys', parameters: { shelf: '$response.body#/id' } },
        }),
      },
    },
    '/shelves/{id}/boxes': {
      parameters: byId,
      get: {
        operationId: 'boxes',
        parameters: paged,
        responses: answer({ type: 'array', items: $ref('Box') }),
      },
    },
    '/shelves/{id}/boxes/{box_id}': {
      parameters: [...byId, { name: 'box_id', in: 'path', required: true, schema: { type: 'integer' } }],
      get: { operationId: 'box', responses: answer($ref('Box')) },
    },
    '/toys': {
      get: {
        operationId: 'toys',
        parameters: [...paged, { name: 'shelf', in: 'query', schema: { type: 'integer' } }],
        responses: answer({ type: 'array', items: $ref('Toy') }),
      },
    },
    '/toys/{id}': { parameters: byId, get: { operationId: 'toy', responses: answer($ref('Toy')) } },
  },
  components: { schemas: { Shelf: schema(), Box: schema(), Toy: schema('shelf') } },
};

async function serveShelves() {
  const upstream = await startStandInUpstream(({ target }, reply) => {
    const { pathname, searchParams } = new URL(target, upstream.url);
    const [page, limit] = [Number(searchParams.get('page') ?? 1), Number(searchParams.get('limit') ?? 5)];
    if (/^\/shelves\/\d+$/.test(pathname)) return reply.json({ id: Number(pathname.split('/')[2]) });
    const count = pathname === '/shelves' ? 2 : 45;
    reply.json(
      things(count)
        .slice((page - 1) * limit, page * limit)
        .map(({ id }) => ({ id, shelf: 1 })),
    );
  });
  onTestFinished(() => upstream.close());
  const source = { source: './api.json', endpoint: upstream.url };
  return serveProject(
    createProject({
      'api.json': JSON.stringify(DOCUMENT),
      '.meshrc.yaml': `sources: ${JSON.stringify([{ name: 'Test', handler: { openapi: source } }])}`,
    }),
  );
}

interface Entity {
  readonly Id: number;
  readonly [navigation: string]: unknown;
}

const keys = (value: unknown) => ranges((value as readonly Entity[]).map(({ Id }) => Id));

describe('related entities that come in pages', () => {
  it.each(['Boxes', 'Toys'])('are whole: %s', async (name) => {
    const { json } = await serveShelves();
    const all = (await json(`/odata/Shelf(1)/${name}?$orderby=Id`)) as { readonly value: unknown };
    expect(keys(all.value)).toBe('1-45');
    const first = (await json(`/odata/Shelf(1)/${name}`)) as {
      readonly value: unknown;
      '@odata.nextLink'?: string;
    };
    expect([keys(first.value), typeof first['@odata.nextLink']]).toEqual(['1-20', 'string']);
  });

  it.each(['Boxes', 'Toys'])('are whole where they are expanded: %s', async (name) => {
    const { json } = await serveShelves();
    const { value } = (await json(`/odata/Shelf?$expand=${name}`)) as { readonly value: readonly Entity[] };
    expect(value.map((shelf) => keys(shelf[name]))).toEqual(['1-45', '1-45']);
  });
});
