import { describe, expect, it, onTestFinished } from 'vitest';
import { startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, serveProject, sourceOf } from '../support/temporary-project.ts';

const ROWS = Array.from({ length: 300 }, (_, index) => ({
  id: index + 1,
  color: ['red', 'green', 'blue', 'white', 'black'][index % 5] ?? 'red',
  owner_id: `own${(index % 20) + 1}`,
}));

const string = { type: 'string' };
const integer = { type: 'integer' };

/** A list of 300 rows in pages of 20, with parameters that are written in one style. */
async function serveLists(parameters: readonly object[]) {
  const upstream = await startStandInUpstream(({ target }, reply) => {
    const { pathname, searchParams: query } = new URL(target, 'http://lists');
    const [, key] = /^\/cars\/(\d+)$/.exec(pathname) ?? [];
    if (key !== undefined) {
      const row = ROWS.find(({ id }) => String(id) === key);
      return row === undefined ? reply.send(404, '{}') : reply.json(row);
    }
    const listed = (name: string): readonly string[] | undefined => query.get(name)?.split(/[| ]/);
    const isIn = (values: readonly string[] | undefined, value: unknown) =>
      values === undefined || values.includes(String(value));
    const deep = (name: string) => query.get(`filter[${name}]`) ?? undefined;
    const found = ROWS.filter((row) => isIn(listed('ids'), row.id))
      .filter((row) => isIn(listed('color'), row.color))
      .filter((row) => deep('color') === undefined || row.color === deep('color'))
      .filter((row) => deep('owner_id') === undefined || row.owner_id === deep('owner_id'));
    const page = Number(query.get('page') ?? 1);
    reply.json({ data: found.slice((page - 1) * 20, page * 20), total: found.length });
  });
  onTestFinished(() => upstream.close());
  const item = { $ref: '#/components/schemas/Car' };
  const answer = (schema: object) => ({ description: 'ok', content: { 'application/json': { schema } } });
  const list = {
    type: 'object',
    properties: { data: { type: 'array', items: item }, total: integer },
  };
  const paging = { name: 'page', in: 'query', schema: { ...integer, default: 1 } };
  const document = {
    openapi: '3.1.0',
    info: { title: 'Cars', version: '1' },
    paths: {
      '/cars': {
        get: { operationId: 'cars', parameters: [paging, ...parameters], responses: { 200: answer(list) } },
      },
      '/cars/{id}': {
        get: {
          operationId: 'car',
          parameters: [{ name: 'id', in: 'path', required: true, schema: integer }],
          responses: { 200: answer(item) },
        },
      },
    },
    components: {
      schemas: {
        Car: {
          type: 'object',
          required: ['id', 'color', 'owner_id'],
          properties: {
            id: integer,
            color: { ...string, enum: ['red', 'green', 'blue', 'white', 'black'] },
            owner_id: string,
          },
        },
      },
    },
  };
  const files = {
    'api.json': JSON.stringify(document),
    '.meshrc.yaml': `sources:\n${sourceOf('Cars', './api.json', upstream.url)}`,
  };
  const { gateway } = await serveProject(createProject(files));
  /** The keys of the second answer, and the queries that it took. */
  return async (query: string) => {
    await fetch(`${gateway.url}/odata/Car?${query}`);
    const before = upstream.requests.length;
    const { value } = (await (await fetch(`${gateway.url}/odata/Car?${query}`)).json()) as {
      value: readonly { readonly Id: number }[];
    };
    const calls = upstream.requests.slice(before).map(({ target }) => target);
    return { keys: value.map(({ Id }) => Number(Id)), calls };
  };
}

const list = (name: string, items: object, style: object) => ({
  name,
  in: 'query',
  schema: { type: 'array', items },
  ...style,
});

describe('parameters for lists of values', () => {
  it.each([
    ['pipes', { style: 'pipeDelimited', explode: false }, '%7C'],
    ['pipes by default', { style: 'pipeDelimited' }, '%7C'],
    ['spaces', { style: 'spaceDelimited', explode: false }, '%20'],
  ])('are written with %s', async (_, style, sign) => {
    const ask = await serveLists([list('ids', integer, style), list('color', string, style)]);
    const ids = await ask('$filter=Id in (7,123,299,45)&$orderby=Id');
    expect(ids).toStrictEqual({
      keys: [7, 45, 123, 299],
      calls: [`/cars?ids=${[7, 123, 299, 45].join(sign)}`],
    });
    const colors = await ask("$filter=Color in ('red','blue')&$orderby=Id&$top=200");
    expect(colors.keys).toStrictEqual(ROWS.filter(({ color }) => /red|blue/.test(color)).map(({ id }) => id));
    expect(colors.calls[0]).toBe(`/cars?color=red${sign}blue`);
  });

  it('are repeated if the document says so', async () => {
    const style = { style: 'pipeDelimited', explode: true };
    const ask = await serveLists([list('color', string, style)]);
    const { keys } = await ask("$filter=Color eq 'red'&$orderby=Id&$top=60");
    expect(keys).toStrictEqual(ROWS.filter(({ color }) => color === 'red').map(({ id }) => id));
  });

  it('are members of one object of conditions', async () => {
    const filter = {
      name: 'filter',
      in: 'query',
      style: 'deepObject',
      explode: true,
      schema: { type: 'object', properties: { color: string, owner_id: string } },
    };
    const ask = await serveLists([filter]);
    const both = await ask("$filter=Color eq 'red' and OwnerId eq 'own6'&$orderby=Id");
    expect(both.keys).toStrictEqual(
      ROWS.filter(({ color, owner_id }) => color === 'red' && owner_id === 'own6').map(({ id }) => id),
    );
    expect(both.calls.map(decodeURIComponent)).toStrictEqual([
      '/cars?filter[color]=red&filter[owner_id]=own6',
    ]);
  });
});
