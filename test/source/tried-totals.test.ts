import { expect, it, onTestFinished } from 'vitest';
import { startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, serveProject, sourceOf } from '../support/temporary-project.ts';

type Thing = Readonly<Record<string, unknown>>;
type Does = (rows: readonly Thing[], name: string, value: string) => readonly Thing[];

const integer = { type: 'integer' };

/** Serves things in pages of 10 with a total, by parameters that do what `does` does. */
async function serveThings(
  things: readonly Thing[],
  properties: Readonly<Record<string, object>>,
  parameters: Readonly<Record<string, object>>,
  does: Does,
) {
  const calls: string[] = [];
  const upstream = await startStandInUpstream(({ target }, reply) => {
    calls.push(target);
    const { pathname, searchParams } = new URL(target, 'http://api');
    const [, , key] = pathname.split('/');
    if (key !== undefined) {
      const found = things.find(({ id }) => String(id) === decodeURIComponent(key));
      return found === undefined ? reply.send(404) : reply.json(found);
    }
    const page = Number(searchParams.get('page') ?? 1);
    const found = Object.keys(parameters).reduce((rows, name) => {
      const value = searchParams.get(name);
      return value === null ? rows : does(rows, name, value);
    }, things);
    reply.json({ items: found.slice((page - 1) * 10, page * 10), total: found.length });
  });
  onTestFinished(() => upstream.close());
  const thing = { type: 'object', required: ['id'], properties };
  const content = (schema: object) => ({
    200: { description: 'ok', content: { 'application/json': { schema } } },
  });
  const document = {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1' },
    paths: {
      '/things': {
        get: {
          operationId: 'things',
          parameters: Object.entries({ page: { ...integer, default: 1, minimum: 1 }, ...parameters }).map(
            ([name, schema]) => ({ name, in: 'query', schema }),
          ),
          responses: content({
            type: 'object',
            required: ['items', 'total'],
            properties: {
              items: { type: 'array', items: { $ref: '#/components/schemas/Thing' } },
              total: integer,
            },
          }),
        },
      },
      '/things/{id}': {
        get: {
          operationId: 'thing',
          parameters: [{ name: 'id', in: 'path', required: true, schema: properties['id'] }],
          responses: content({ $ref: '#/components/schemas/Thing' }),
        },
      },
    },
    components: { schemas: { Thing: thing } },
  };
  const project = createProject({
    'api.json': JSON.stringify(document),
    '.meshrc.yaml': `sources:\n${sourceOf('Things', './api.json', upstream.url)}`,
  });
  const { gateway } = await serveProject(project);
  return {
    calls,
    async ask(path: string): Promise<string> {
      calls.length = 0;
      return (await fetch(`${gateway.url}/odata/${path}`)).text();
    },
  };
}

const idsOf = (text: string): readonly unknown[] =>
  (JSON.parse(text) as { readonly value: readonly { readonly Id: unknown }[] }).value.map(({ Id }) => Id);

it('does not count by a value that the API takes for none', async () => {
  const sizes = Array.from({ length: 210 }, (_, index) => ({
    id: index + 1000,
    rank: [1, 2, 2, 3, 1, 2, 0][index % 7],
  }));
  const api = await serveThings(sizes, { id: integer, rank: integer }, { rank: integer }, (rows, _, value) =>
    Number(value) === 0 ? rows : rows.filter(({ rank }) => String(rank) === value),
  );
  const counts: string[] = [];
  for (const size of [2, 2, 3, 0]) counts.push(await api.ask(`Thing/$count?$filter=Rank eq ${size}`));
  expect(counts).toStrictEqual(['90', '90', '30', '30']);
});

it('does not take null for a number in a sorted list', async () => {
  const debts = Array.from({ length: 60 }, (_, index) => ({
    id: index + 1,
    ...(index < 40 && { debt: index < 20 ? 500 - index : -1 - index }),
  }));
  const sort = { type: 'string', enum: ['debt', '-debt'] };
  const api = await serveThings(debts, { id: integer, debt: integer }, { sort }, (rows, _, value) => {
    const rank = ({ debt = 0 }: Thing) => Number(debt);
    return rows.toSorted((a, b) => (value === 'debt' ? rank(a) - rank(b) : rank(b) - rank(a)));
  });
  const query = 'Thing?$orderby=Debt desc&$top=25';
  const expected = Array.from({ length: 25 }, (_, index) => index + 1);
  expect(idsOf(await api.ask(query))).toStrictEqual(expected);
  expect(idsOf(await api.ask(query))).toStrictEqual(expected);
});

it('finds entities by UUIDs of another case', async () => {
  const id = (index: number): string => `${String(index).padStart(8, '0')}-AAAA-4BBB-8CCC-DDDDDDDDDDDD`;
  const things = Array.from({ length: 30 }, (_, index) => ({ id: id(index) }));
  const uuid = { type: 'string', format: 'uuid' };
  const api = await serveThings(things, { id: uuid }, {}, (rows) => rows);
  expect(idsOf(await api.ask(`Thing?$filter=Id eq ${id(7)}`))).toStrictEqual([id(7)]);
  expect(api.calls).toHaveLength(1);
  expect(idsOf(await api.ask(`Thing?$filter=Id eq ${id(7).toLowerCase()}`))).toStrictEqual([id(7)]);
});
