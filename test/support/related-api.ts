import { onTestFinished } from 'vitest';
import type { AtEnd } from './end-of-file.ts';
import { startStandInUpstream } from './stand-in-upstream.ts';
import { createProject, sourceOf } from './temporary-project.ts';

const answer = (schema: string) =>
  `responses: { '200': { description: OK, content: { application/json: { schema: ${schema} } } } }`;
const ref = (name: string) => `{ $ref: '#/components/schemas/${name}' }`;
const list = (name: string) => answer(`{ type: array, items: ${ref(name)} }`);
const key = (name: string) =>
  `parameters: [{ name: ${name}, in: path, required: true, schema: { type: integer } }]`;

const DOCUMENT = `
openapi: 3.1.0
info: { title: Shop, version: '1' }
paths:
  /customers: { get: { operationId: customers, ${list('Customer')} } }
  /customers/{id}: { get: { operationId: customer, ${key('id')}, ${answer(ref('Customer'))} } }
  /agents: { get: { operationId: agents, parameters: [{ name: ids, in: query, schema: { type: array, items: { type: integer } } }], ${list('Agent')} } }
  /agents/{id}: { get: { operationId: agent, ${key('id')}, ${answer(ref('Agent'))} } }
  /depots: { get: { operationId: depots, ${list('Depot')} } }
  /orders: { get: { operationId: orders, ${list('Order')} } }
  /orders/{id}: { get: { operationId: order, ${key('id')}, ${answer(ref('Order'))} } }
  /retail/users: { get: { operationId: retailUsers, ${list('RetailUser')} } }
  /retail/users/{id}: { get: { operationId: retailUser, ${key('id')}, ${answer(ref('RetailUser'))} } }
  /trade/users: { get: { operationId: tradeUsers, ${list('TradeUser')} } }
  /trade/users/{id}: { get: { operationId: tradeUser, ${key('id')}, ${answer(ref('TradeUser'))} } }
  /notes: { get: { operationId: notes, ${list('Note')} } }
components:
  schemas:
    Customer: { type: object, required: [id], properties: { id: { type: integer }, name: { type: string } } }
    Agent: { type: object, required: [id], properties: { id: { type: integer }, name: { type: string } } }
    Depot: { type: object, required: [id], properties: { id: { type: integer }, town: { type: string } } }
    RetailUser: { type: object, required: [id], properties: { id: { type: integer }, name: { type: string } } }
    TradeUser: { type: object, required: [id], properties: { id: { type: integer }, name: { type: string } } }
    Order:
      type: object
      required: [id]
      properties:
        id: { type: integer }
        customer_id: { type: integer }
        billing_customer_id: { type: integer }
        sales_agent_id: { type: integer }
        depot_id: { type: integer }
        return_depot_id: { type: integer }
        seller: { type: object, properties: { id: { type: integer }, note: { type: string } }, description: An agent }
    Note: { type: object, required: [id], properties: { id: { type: integer }, customer_id: { type: integer }, customer_type: { type: string }, user_id: { type: integer } } }
`;

const customer = (id: number) => ({ id, name: `Customer ${id}` });
const CUSTOMERS = [101, 102, 103, 104, 105, 106, 107, 108].map(customer);
const AGENTS = [21, 22, 23].map((id) => ({ id, name: `Agent ${id}` }));
const ORDERS = [1, 2, 3, 4].map((id) => ({
  id,
  customer_id: 100 + id,
  billing_customer_id: 104 + id,
  sales_agent_id: id === 4 ? 29 : 20 + id,
  depot_id: 900 + id,
  return_depot_id: 51,
  seller: { id: 21, note: 'x' },
}));
const ROWS: Readonly<Record<string, readonly { readonly id: number }[]>> = {
  customers: CUSTOMERS,
  agents: AGENTS,
  depots: [51, 52].map((id) => ({ id, town: `Town ${id}` })),
  orders: ORDERS,
  notes: [{ id: 1, customer_id: 101, customer_type: 'person', user_id: 61 } as { readonly id: number }],
  'retail/users': [{ id: 61 }],
  'trade/users': [{ id: 61 }],
};

/** A project with an API whose orders refer to other entities, by properties that say so and by others; one of these is wrong. */
export async function serveRelatedApi(atEnd: AtEnd = onTestFinished) {
  const upstream = await startStandInUpstream(({ target }, reply) => {
    const url = new URL(target, 'http://api');
    const [, name = '', id] = /^\/([a-z/]*[a-z])(?:\/(\d+))?$/.exec(url.pathname) ?? [];
    const ids = url.searchParams.getAll('ids');
    const rows = (ROWS[name] ?? []).filter((row) => ids.length === 0 || ids.includes(String(row.id)));
    if (id === undefined) reply.json(rows);
    else {
      const found = rows.find((row) => row.id === Number(id));
      if (found === undefined) reply.send(404, '{}');
      else reply.json(found);
    }
  });
  atEnd(() => upstream.close());
  const files = {
    'openapi/shop.yaml': DOCUMENT,
    '.meshrc.yaml': `sources:\n${sourceOf('Shop', './openapi/shop.yaml', upstream.url)}`,
  };
  return { upstream, project: createProject(files, atEnd) };
}
