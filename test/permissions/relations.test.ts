import { beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { ACCESS } from '../auth/account-client.ts';
import { atEndOfFile } from '../support/end-of-file.ts';
import { roleKeys } from '../support/role-keys.ts';
import { type StandInUpstream, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, serveProject, sourceOf } from '../support/temporary-project.ts';

const ref = (schema: string): string => `{ $ref: '#/components/schemas/${schema}' }`;
const answer = (schema: string): string =>
  `{ '200': { description: ok, content: { application/json: { schema: ${schema} } } } }`;
const set = (path: string, schema: string): string => `
  ${path}:
    get: { operationId: list${schema}, responses: ${answer(`{ type: array, items: ${ref(schema)} }`)} }
    post: { operationId: create${schema}, requestBody: { content: { application/json: { schema: ${ref(schema)} } } }, responses: ${answer(ref(schema))} }
  ${path}/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: get${schema}, responses: ${answer(ref(schema))} }
    delete: { operationId: delete${schema}, responses: { '204': { description: gone } } }
    patch: { operationId: change${schema}, requestBody: { content: { application/json: { schema: ${ref(schema)} } } }, responses: ${answer(ref(schema))} }`;

/** Clerks may do everything with orders, agents everything with customers; everyone may view both. */
const DOCUMENT = `
openapi: 3.1.0
info: { title: Shop, version: '1' }
x-odata: { namespace: Shop }
paths:${set('/customers', 'Customer')}${set('/orders', 'Order')}
components:
  schemas:
    Customer:
      type: object
      required: [id]
      properties: { id: { type: integer, readOnly: true }, name: { type: string } }
      x-odata: { grants: { Agent: [View, Insert, Update, Delete], Everyone: [View, Insert, Update, Delete] } }
    Order:
      type: object
      required: [id]
      properties: { id: { type: integer, readOnly: true }, customer_id: { type: [integer, 'null'] }, total: { type: integer } }
      x-odata: { grants: { Clerk: [View, Insert, Update, Delete], Everyone: [View, Insert, Update, Delete] } }
`;

const ROWS: Readonly<Record<string, unknown>> = {
  '/customers': [{ id: 1, name: 'Ann' }],
  '/customers/1': { id: 1, name: 'Ann' },
  '/orders': [{ id: 5, customer_id: 1, total: 3 }],
  '/orders/5': { id: 5, customer_id: 1, total: 3 },
};

/** Paths of OData that need the relation: NAV is its name, from an order to its customer or back. */
const READS = {
  Clerk: {
    from: 'Order',
    nav: 'Customer',
    odata: [
      'Order?$expand=NAV',
      'Order?$expand=NAV/$ref',
      'Order?$expand=NAV($select=Name)',
      'Order?$select=NAV',
      "Order?$filter=NAV/Name eq 'Ann'",
      'Order?$filter=NAV eq null',
      'Order?$orderby=NAV/Name',
      'Order?$apply=groupby((NAV/Name))',
      "Order?$apply=filter(NAV/Name eq 'Ann')",
      'Order?$compute=NAV/Name as Who',
      'Order(5)/NAV',
      'Order(5)/NAV/Name',
      'Order(5)/NAV/$ref',
      'Order(5)?$expand=NAV',
    ],
    graphql: [
      '{ orders { nav { name } } }',
      '{ orders(where: { nav: { name: { eq: "Ann" } } }) { id } }',
      '{ orders(order: [{ nav: { name: ASC } }]) { id } }',
      '{ order(id: 5) { nav { id } } }',
      'mutation { createOrder(input: { total: 1, nav: { create: { name: "New" } } }) { total } }',
    ],
  },
  Agent: {
    from: 'Customer',
    nav: 'Orders',
    odata: [
      'Customer?$expand=NAV',
      'Customer?$expand=NAV/$ref',
      'Customer?$expand=NAV/$count',
      'Customer?$expand=NAV($filter=Total gt 1)',
      'Customer?$filter=NAV/any()',
      'Customer?$filter=NAV/any(o:o/Total gt 1)',
      'Customer?$filter=NAV/all(o:o/Total gt 1)',
      'Customer?$filter=NAV/$count gt 0',
      'Customer?$orderby=NAV/$count',
      'Customer?$apply=aggregate(NAV/Total with sum as Sum)',
      'Customer?$compute=NAV/$count as Count',
      'Customer(1)/NAV',
      'Customer(1)/NAV/$count',
      'Customer(1)/NAV/$ref',
      'Customer(1)/NAV(5)',
    ],
    graphql: [
      '{ customers { nav { total } } }',
      '{ customers { nav(where: { total: { gt: 1 } }) { id } } }',
      '{ customers(where: { nav: { some: { total: { gt: 1 } } } }) { id } }',
      '{ customer(id: 1) { nav { id } } }',
      'mutation { createCustomer(input: { name: "New", nav: { create: [{ total: 1 }] } }) { name } }',
      'mutation { updateCustomers(where: {}, set: { name: "New" }) { count nodes { ... on Customer { nav { total } } } } }',
    ],
  },
} as const;

type Body = Readonly<Record<string, unknown>>;

const WRITES: Readonly<Record<'Clerk' | 'Agent', readonly (readonly [string, string, Body?])[]>> = {
  Clerk: [
    ['POST', 'Order', { Total: 1, NAV: { Name: 'New' } }],
    ['POST', 'Order', { Total: 1, 'NAV@odata.bind': 'Customer(1)' }],
    ['PATCH', 'Order(5)', { 'NAV@odata.bind': 'Customer(1)' }],
    ['PUT', 'Order(5)/NAV/$ref', { '@odata.id': 'Customer(1)' }],
    ['DELETE', 'Order(5)/NAV/$ref'],
    ['PATCH', 'Order(5)/NAV', { Name: 'New' }],
  ],
  Agent: [
    ['POST', 'Customer', { Name: 'New', NAV: [{ Total: 1 }] }],
    ['POST', 'Customer(1)/NAV', { Total: 1 }],
    ['POST', 'Customer(1)/NAV/$ref', { '@odata.id': 'Order(5)' }],
    ['PATCH', 'Customer(1)/NAV(5)', { Total: 1 }],
    ['DELETE', 'Customer(1)/NAV(5)'],
  ],
};

describe('a relation to entities that a role may not view', () => {
  let upstream: StandInUpstream;
  let keys: ReadonlyMap<string, string>;
  let url = '';
  beforeAll(async () => {
    upstream = await startStandInUpstream(({ method, target }, reply) => {
      const found = ROWS[target.split('?')[0] ?? ''];
      if (method === 'GET' && found === undefined) reply.send(404, '{}');
      else reply.json(method === 'GET' ? found : { id: 5 });
    });
    atEndOfFile(() => upstream.close());
    const project = createProject(
      { 'api.yaml': DOCUMENT, '.meshrc.yaml': `sources:\n${sourceOf('Shop', './api.yaml', upstream.url)}` },
      atEndOfFile,
    );
    const environment = { ...ACCESS, DATABASE_URL: project.path('accounts.sqlite') };
    const config = readConfig({ ...environment, MESH_CONFIG: project.path('.meshrc.yaml') });
    keys = await roleKeys(config, ['Clerk', 'Agent', 'Everyone']);
    url = (await serveProject(project, environment, atEndOfFile)).gateway.url;
  });

  async function send(role: string, method: string, path: string, body?: Body) {
    const before = upstream.requests.length;
    const response = await fetch(url + path, {
      method,
      headers: { 'content-type': 'application/json', 'x-api-key': keys.get(role) ?? '' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, text, calls: upstream.requests.length - before };
  }

  const named = (text: string, name: string): string => text.replaceAll('NAV', name);
  /** Without the name, and suggestions of other names. */
  const without = ({ status, text, calls }: Awaited<ReturnType<typeof send>>, name: string) => ({
    status,
    calls,
    text: text.replaceAll(name, 'NAV').replaceAll(encodeURIComponent(name), 'NAV'),
  });

  const reads = Object.entries(READS).flatMap(([role, { nav, odata }]) =>
    odata.map((path) => ({ role, nav, path })),
  );

  it.each(reads)('is an unknown name for $role in $path', async ({ role, nav, path }) => {
    const known = await send('Everyone', 'GET', `/odata/${named(path, nav)}`);
    expect([path, known.status]).toStrictEqual([path, 200]);
    const unknown = `Q${nav.slice(1)}`;
    const hidden = without(await send(role, 'GET', `/odata/${named(path, nav)}`), nav);
    expect(hidden).toStrictEqual(without(await send(role, 'GET', `/odata/${named(path, unknown)}`), unknown));
    expect([hidden.status === 400 || hidden.status === 404, hidden.calls]).toStrictEqual([true, 0]);
  });

  const queries = Object.entries(READS).flatMap(([role, { nav, graphql }]) =>
    graphql.map((query) => ({ role, nav: nav.toLowerCase(), query })),
  );

  it.each(queries)('is refused to $role in $query, and nothing is read', async ({ role, nav, query }) => {
    const sendAs = (by: string) => send(by, 'POST', '/graphql', { query: query.replaceAll('nav', nav) });
    expect(JSON.parse((await sendAs('Everyone')).text)).not.toHaveProperty('errors');
    const { text, calls } = await sendAs(role);
    const { errors, data } = JSON.parse(text);
    expect([errors[0].extensions.code, calls]).toStrictEqual(['Forbidden', 0]);
    expect(Object.values(data ?? {}).every((each) => each === null)).toBe(true);
  });

  it.each([
    ['a document', '{ customers(where: { ordrs: {} }) { id } }', undefined],
    [
      'a variable',
      'query ($where: CustomerFilter) { customers(where: $where) { id } }',
      { where: { ordrs: {} } },
    ],
  ])('is not suggested for another name in %s', async (_, query, variables) => {
    const { text, calls } = await send('Agent', 'POST', '/graphql', { query, variables });
    expect([JSON.parse(text).errors[0].message.split('; ').at(-1), calls]).toStrictEqual([
      'Field "ordrs" is not defined by type "CustomerFilter".',
      0,
    ]);
  });

  const writes = Object.entries(WRITES).flatMap(([role, all]) =>
    all.map(([method, path, body]) => ({ role, method, path, body })),
  );

  it.each(writes)(
    'is an unknown name for $role in $method $path $body',
    async ({ role, method, path, body }) => {
      const { nav } = READS[role as keyof typeof READS];
      const sendAs = (name: string, by: string) => {
        const sent = body && (JSON.parse(named(JSON.stringify(body), name)) as Body);
        return send(by, method, `/odata/${named(path, name)}`, sent);
      };
      const known = await sendAs(nav, 'Everyone');
      expect([path, known.status < 300 || known.text]).toStrictEqual([path, true]);
      const unknown = `Q${nav.slice(1)}`;
      const hidden = without(await sendAs(nav, role), nav);
      expect(hidden).toStrictEqual(without(await sendAs(unknown, role), unknown));
      expect([hidden.status >= 400, hidden.calls]).toStrictEqual([true, 0]);
    },
  );

  it('is in the model of nobody else: neither navigation, partner, constraint nor type', async () => {
    for (const [role, { from, nav }] of Object.entries(READS)) {
      const { text } = await send(role, 'GET', '/odata/$metadata?$format=json');
      const { text: schema } = await send(role, 'POST', '/graphql', {
        query: '{ __schema { types { name fields { name } inputFields { name } } } }',
      });
      const target = from === 'Order' ? 'Customer' : 'Order';
      expect(JSON.parse(text).Shop).not.toHaveProperty(target);
      expect(text).not.toMatch(/\$Partner|\$ReferentialConstraint|NavigationProperty"/);
      expect(text.replace(/Customer ?Id/g, '')).not.toContain(target);
      expect(schema).not.toContain(`"${nav.toLowerCase()}"`);
    }
    const { text } = await send('Everyone', 'GET', '/odata/$metadata?$format=json');
    expect(text).toMatch(/\$Partner/);
    expect(text).toMatch(/\$ReferentialConstraint/);
  });
});
