import { beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { ACCESS } from '../auth/account-client.ts';
import { atEndOfFile } from '../support/end-of-file.ts';
import { heldAnswer } from '../support/held-answer.ts';
import { roleKeys } from '../support/role-keys.ts';
import { type StandInUpstream, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, type ProjectGateway, serveProject, sourceOf } from '../support/temporary-project.ts';

const SIZE = 500;
const ORDERS = 6_000;
const CUSTOMERS = 40;

const integer = { type: 'integer' };
const text = { type: 'string' };
const answer = (schema: object) => ({
  200: { description: 'OK', content: { 'application/json': { schema } } },
});
const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const pages = [
  { name: 'page', in: 'query', schema: { ...integer, default: 1 } },
  { name: 'limit', in: 'query', schema: { ...integer, maximum: SIZE } },
];
const id = { name: 'id', in: 'path', required: true, schema: integer };

function pathsOf(name: string) {
  const path = `/${name.toLowerCase()}s`;
  const list = { type: 'object', properties: { items: { type: 'array', items: reference(name) } } };
  return {
    [path]: { get: { operationId: `list${name}`, parameters: pages, responses: answer(list) } },
    [`${path}/{id}`]: {
      get: { operationId: `get${name}`, parameters: [id], responses: answer(reference(name)) },
    },
  };
}

/** Sellers see orders, buyers see customers, too. */
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Orders', version: '1' },
  paths: { ...pathsOf('Order'), ...pathsOf('Customer') },
  components: {
    schemas: {
      Order: {
        type: 'object',
        required: ['id'],
        properties: { id: integer, customer_id: integer, contact: reference('Customer') },
        'x-odata': { grants: { Seller: ['View'], Buyer: ['View'] } },
      },
      Customer: {
        type: 'object',
        required: ['id'],
        properties: { id: integer, name: text },
        'x-odata': { grants: { Buyer: ['View'] } },
      },
    },
  },
};

const customer = (number: number) => ({ id: number, name: `Secret ${number}` });
const orders = Array.from({ length: ORDERS }, (_, index) => ({
  id: index + 1,
  customer_id: (index % CUSTOMERS) + 1,
  contact: customer((index % 3) + 1),
}));
const customers = Array.from({ length: CUSTOMERS }, (_, index) => customer(index + 1));

let upstream: StandInUpstream;
let served: ProjectGateway;
let keys: ReadonlyMap<string, string>;

beforeAll(async () => {
  upstream = await startStandInUpstream(({ target }, reply) => {
    const { pathname, searchParams } = new URL(target, 'http://localhost');
    const [, kind, key] = pathname.split('/');
    const all = kind === 'orders' ? orders : customers;
    if (key !== undefined) return reply.json(all[Number(key) - 1]);
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
  const environment = { ...ACCESS, DATABASE_URL: project.path('accounts.sqlite') };
  keys = await roleKeys(readConfig({ ...environment, MESH_CONFIG: project.path('.meshrc.yaml') }), [
    'Seller',
    'Buyer',
  ]);
  served = await serveProject(project, environment, atEndOfFile);
});

const headersOf = (role: string) => ({ 'x-api-key': keys.get(role) ?? '' });

async function passedOn(role: string, path: string): Promise<readonly [number, string | null, string]> {
  const response = await fetch(`${served.gateway.url}/odata/${path}`, { headers: headersOf(role) });
  return [
    response.status,
    response.headers.get('transfer-encoding'),
    Buffer.from(await response.arrayBuffer()).toString(),
  ];
}

const held = (role: string, path: string) =>
  heldAnswer(`${served.gateway.url}/odata/${path}`, headersOf(role));

const QUERIES = [
  'Order?$filter=Id gt 1&$expand=Customer',
  'Order?$format=csv&$expand=Customer($select=Name)',
  'Order?$format=jsonl&$expand=Customer&$skip=3000&$top=2000',
  "Order?$filter=Customer/Name ne 'Secret 7'&$select=Id",
  'Order?$format=csv&$expand=Contact',
];

describe('related entities of a list that is passed on', () => {
  it.each(QUERIES)('are read before each portion is written: %s', async (path) => {
    const [status, coding, content] = await passedOn('Buyer', path);
    expect([status, coding]).toStrictEqual([200, 'chunked']);
    expect(content).toBe(await held('Buyer', path));
  });

  it('are read by few calls', async () => {
    const before = upstream.requests.length;
    await passedOn('Buyer', 'Order?$format=csv&$expand=Customer');
    const calls = upstream.requests.slice(before).filter(({ target }) => target.startsWith('/customers'));
    expect(calls.length).toBeLessThan(8);
  });

  it.each(QUERIES)('are refused before the first byte to those who may not see them: %s', async (path) => {
    const before = upstream.requests.length;
    const [status] = await passedOn('Seller', path);
    expect([status, upstream.requests.length - before]).toStrictEqual([400, 0]);
  });

  it.each(['Order?$format=csv', 'Order?$format=jsonl', 'Order?$filter=Id gt 1'])(
    'are left out of what others are shown: %s',
    async (path) => {
      const [status, coding, content] = await passedOn('Seller', path);
      expect([status, coding]).toStrictEqual([200, 'chunked']);
      expect(content).not.toContain('Secret');
      expect(content).toBe(await held('Seller', path));
    },
  );
});
