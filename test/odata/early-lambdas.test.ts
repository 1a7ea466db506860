import { beforeAll, describe, expect, it } from 'vitest';
import { atEndOfFile } from '../support/end-of-file.ts';
import { type StandInUpstream, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, type ProjectGateway, serveProject, sourceOf } from '../support/temporary-project.ts';

const SIZE = 10;
const ORDERS = 400;
const CUSTOMERS = 4;

const integer = { type: 'integer' };
const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const answer = (schema: object) => ({
  200: { description: 'OK', content: { 'application/json': { schema } } },
});
const listOf = (name: string) => ({
  type: 'object',
  properties: { items: { type: 'array', items: reference(name) } },
});
const pages = [
  { name: 'page', in: 'query', schema: { ...integer, default: 1 } },
  { name: 'limit', in: 'query', schema: { ...integer, maximum: SIZE } },
];
const id = { name: 'id', in: 'path', required: true, schema: integer };
const get = (operationId: string, parameters: readonly object[], schema: object) => ({
  get: { operationId, parameters, responses: answer(schema) },
});

/** Customers with orders in a list below each of them, and with notes in a set that names the customer. */
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Orders', version: '1' },
  paths: {
    '/customers': get('customers', pages, listOf('Customer')),
    '/customers/{id}': get('customer', [id], reference('Customer')),
    '/customers/{id}/orders': get('orders', [id, ...pages], listOf('Order')),
    '/notes': get('notes', pages, listOf('Note')),
    '/notes/{id}': get('note', [id], reference('Note')),
  },
  components: {
    schemas: {
      Customer: { type: 'object', required: ['id'], properties: { id: integer } },
      Order: { type: 'object', required: ['id'], properties: { id: integer, amount: integer } },
      Note: {
        type: 'object',
        required: ['id'],
        properties: { id: integer, customer_id: integer, length: integer },
      },
    },
  },
};

/** The orders of a customer: the amount is their number, modulo a hundred. */
const orders = Array.from({ length: ORDERS }, (_, index) => ({ id: index + 1, amount: index % 100 }));
const notes = Array.from({ length: ORDERS }, (_, index) => ({
  id: index + 1,
  customer_id: (index % CUSTOMERS) + 1,
  length: index,
}));

let upstream: StandInUpstream;
let served: ProjectGateway;

beforeAll(async () => {
  upstream = await startStandInUpstream(({ target }, reply) => {
    const { pathname, searchParams } = new URL(target, 'http://localhost');
    const [, kind, key, below] = pathname.split('/');
    const customers = Array.from({ length: CUSTOMERS }, (_, index) => ({ id: index + 1 }));
    const all: readonly object[] = kind === 'notes' ? notes : below === 'orders' ? orders : customers;
    if (key !== undefined && below === undefined) return reply.json(all[Number(key) - 1]);
    const begin = (Number(searchParams.get('page') ?? 1) - 1) * SIZE;
    return reply.json({ items: all.slice(begin, begin + SIZE) });
  });
  atEndOfFile(() => upstream.close());
  const project = createProject(
    {
      'api.json': JSON.stringify(DOCUMENT),
      '.meshrc.yaml': `sources:\n${sourceOf('Test', './api.json', upstream.url)}`,
    },
    atEndOfFile,
  );
  served = await serveProject(project, {}, atEndOfFile);
});

/** The customers of an answer, and the calls for the related entities. */
async function ask(filter: string): Promise<readonly [readonly number[], number]> {
  const before = upstream.requests.length;
  const url = `${served.gateway.url}/odata/Customer?$filter=${encodeURIComponent(filter)}`;
  const json = (await (await fetch(url)).json()) as { readonly value: readonly { readonly Id: number }[] };
  const calls = upstream.requests.slice(before).filter(({ target }) => !/^\/customers(?:$|\?)/.test(target));
  return [json.value.map(({ Id }) => Id), calls.length];
}

const ALL = [1, 2, 3, 4];

describe('any and all of lists below their owners', () => {
  it.each<[string, readonly number[], number]>([
    ['Orders/any()', ALL, CUSTOMERS],
    ['Orders/any(o:o/Amount eq 5)', ALL, CUSTOMERS],
    ['Orders/any(o:o/Amount eq 15)', ALL, CUSTOMERS * 2],
    ['Orders/all(o:o/Amount lt 25)', [], CUSTOMERS * 3],
    ['not Orders/all(o:o/Amount lt 5)', ALL, CUSTOMERS],
    ["Orders/any(o:contains(cast(o/Amount,Edm.String),'7') and o/Id gt 10)", ALL, CUSTOMERS * 2],
  ])('%s ends at the first one that decides', async (filter, found, calls) => {
    expect(await ask(filter)).toStrictEqual([found, calls]);
  });

  it.each<[string, readonly number[]]>([
    ['Orders/any(o:o/Amount gt 100)', []],
    ['Orders/all(o:o/Amount lt 100)', ALL],
    ['Orders/any(o:o/Amount eq Id)', ALL],
    ['Orders/any(o:o/Id eq 400) and Orders/any(o:o/Amount eq 0)', ALL],
    ['Orders/any(o:o/Amount eq 5) and Orders/$count eq 400', ALL],
    ['Orders/any(o:Orders/any(p:p/Id eq o/Id add 399))', ALL],
    ['Orders/all(o:o/Amount ne null)', ALL],
  ])('%s has all that it needs', async (filter, found) => {
    expect((await ask(filter))[0]).toStrictEqual(found);
  });
});

describe('any and all of a set that names its owners', () => {
  it.each<[string, readonly number[], number]>([
    ['Notes/any(n:n/Length ge 0)', ALL, 1],
    ['Notes/any(n:n/Length ge 20)', ALL, 3],
    ['Notes/all(n:n/Length lt 8)', [], 2],
  ])('%s ends when each owner has one that decides', async (filter, found, most) => {
    const [customers, calls] = await ask(filter);
    expect(customers).toStrictEqual(found);
    expect(calls).toBeLessThanOrEqual(most);
  });

  it.each<[string, readonly number[]]>([
    ['Notes/any(n:n/Length eq 399)', [4]],
    ['Notes/all(n:n/Length lt 399)', [1, 2, 3]],
    ['Notes/any(n:n/Length lt 0)', []],
  ])('%s is read to its end where one is missing', async (filter, found) => {
    expect((await ask(filter))[0]).toStrictEqual(found);
  });
});
