import { expect, it } from 'vitest';
import { serveDocument } from './served-document.ts';

const ref = (schema: string): string => `{ $ref: '#/components/schemas/${schema}' }`;
const answer = (schema: string): string =>
  `{ '200': { description: ok, content: { application/json: { schema: ${schema} } } } }`;
const parameters = (...names: readonly string[]): string =>
  `[${names.map((name) => `{ name: ${name}, in: path, required: true, schema: { type: integer } }`).join(', ')}]`;
const list = (path: string, schema: string, ...names: readonly string[]): string => `
  ${path}: { get: { operationId: list${schema}, parameters: ${parameters(...names)}, responses: ${answer(`{ type: array, items: ${ref(schema)} }`)} } }`;
const item = (path: string, schema: string, ...names: readonly string[]): string => `
  ${path}: { get: { operationId: get${schema}, parameters: ${parameters(...names)}, responses: ${answer(ref(schema))} } }`;

const DOCUMENT = `
openapi: 3.1.0
info: { title: Rides, version: '1' }
paths:${list('/drivers', 'Driver')}${item('/drivers/{id}', 'Driver', 'id')}${list('/rides', 'Ride')}${item('/rides/{id}', 'Ride', 'id')}${list('/tenants', 'Tenant')}${item('/tenants/{id}', 'Tenant', 'id')}${list('/tenants/{tenant_id}/depots', 'Depot', 'tenant_id')}${item('/tenants/{tenant_id}/depots/{id}', 'Depot', 'tenant_id', 'id')}
components:
  schemas:
    Driver: { type: object, required: [id], properties: { id: { type: integer }, name: { type: string } } }
    Tenant: { type: object, required: [id], properties: { id: { type: integer } } }
    Depot: { type: object, required: [id], properties: { id: { type: integer }, town: { type: string } } }
    Ride:
      type: object
      required: [id, kind]
      properties: { id: { type: integer }, kind: { type: string }, driver_ids: { type: array, items: { type: integer } }, tenant_id: { type: integer }, depot_id: { type: integer } }
      discriminator: { propertyName: kind, mapping: { taxi: '#/components/schemas/Taxi' } }
    Taxi: { allOf: [${ref('Ride')}, { type: object, properties: { driver_id: { type: integer } } }] }
`;

const RIDES = [1, 2, 3, 4, 5, 6].map((id) => ({
  id,
  kind: 'taxi',
  driver_ids: [1, 2],
  driver_id: 1 + (id % 2),
  tenant_id: 7,
  depot_id: 1 + (id % 2),
}));
const DRIVERS = [1, 2].map((id) => ({ id, name: `Driver ${id}` }));
const DEPOTS = [1, 2].map((id) => ({ id, town: `Town ${id}` }));
const ANSWERS: Readonly<Record<string, unknown>> = {
  'GET /rides': RIDES,
  'GET /drivers': DRIVERS,
  'GET /tenants': [{ id: 7 }],
  'GET /tenants/7/depots': DEPOTS,
  ...Object.fromEntries(RIDES.map((ride) => [`GET /rides/${ride.id}`, ride])),
  ...Object.fromEntries(DRIVERS.map((driver) => [`GET /drivers/${driver.id}`, driver])),
  ...Object.fromEntries(DEPOTS.map((depot) => [`GET /tenants/7/depots/${depot.id}`, depot])),
};

it.each([
  [
    'a list of keys',
    'Ride?$expand=DriverEntities($select=Name)',
    '{ rides { driverEntities { name } } }',
    'drivers',
  ],
  [
    'a type cast',
    'Ride?$expand=Test.Taxi/Driver($select=Name)',
    '{ rides { ... on Taxi { driver { name } } } }',
    'drivers',
  ],
  ['a composite key', 'Ride?$expand=Depot($select=Town)', '{ rides { depot { town } } }', 'depots'],
])('%s takes a call for each different key at most, on both faces', async (_, odata, graphql, name) => {
  const { ask, query, requests } = await serveDocument(DOCUMENT, ANSWERS);
  const callsOf = async (read: () => Promise<unknown>): Promise<readonly string[]> => {
    const before = requests.length;
    const found = JSON.stringify(await read());
    expect(found).toMatch(/(?:Driver|Town) 1.*(?:Driver|Town) 2/);
    return requests.slice(before).map(({ target }) => target);
  };
  for (const read of [() => ask(odata), () => query(graphql)]) {
    const [first, ...others] = await callsOf(read);
    expect(first).toBe('/rides');
    expect(others.length).toBeLessThanOrEqual(2);
    expect(others.every((target) => target.includes(name))).toBe(true);
  }
});
