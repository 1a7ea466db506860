import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { outcome } from '../cli/command.ts';
import { serveRelatedApi } from '../support/related-api.ts';
import { serveRegistry } from './registry-gateway.ts';

interface Relation {
  readonly entityType: string;
  readonly property: string;
  readonly state: string;
  readonly verdict: string;
}

async function serveRelations() {
  const related = await serveRelatedApi();
  const gateway = await serveRegistry(related.project);
  const report = async () => (await gateway.ask('GET', '/Shop/relations')).body;
  const found = async () =>
    ((await report())['relations'] as readonly Relation[]).map(
      ({ entityType, property, state, verdict }) => `${entityType}/${property} ${state} ${verdict}`,
    );
  return { ...related, gateway, report, found };
}

const CHECKED = [
  'Order/CustomerId derived resolved',
  'Order/BillingCustomerId suggested resolved',
  'Order/SalesAgentId suggested partly',
  'Order/DepotId derived contradicted',
  'Order/ReturnDepotId suggested resolved',
  'Order/Seller suggested resolved',
  'Note/CustomerId suggested ambiguous',
  'Note/UserId suggested ambiguous',
];

it('looks values of relations up when it is asked to, and serves no relation because of that', async () => {
  const { gateway, report, found } = await serveRelations();
  const metadata = await gateway.json('/odata/$metadata?$format=json');
  expect(await found()).toStrictEqual(CHECKED.map((line) => line.replace(/\w+$/, 'open')));
  const started = await gateway.ask('POST', '/Shop/relations', {});
  expect([started.status, started.body['isRunning']]).toStrictEqual([202, true]);
  await expect.poll(() => report(), { timeout: 20_000 }).toMatchObject({ isRunning: false });
  expect(await found()).toStrictEqual(CHECKED);
  expect(await gateway.json('/odata/$metadata?$format=json')).toStrictEqual(metadata);
  expect((await gateway.ask('DELETE', '/Shop/relations')).status).toBe(204);
  expect(await found()).toStrictEqual(CHECKED.map((line) => line.replace(/\w+$/, 'open')));
});

it('takes what the command has found, and keeps it when a decision is written', async () => {
  const { project, found, gateway } = await serveRelations();
  await outcome(['probe'], { AUTH: 'off', MESH_CONFIG: project.path('.meshrc.yaml') });
  await expect.poll(found, { timeout: 20_000 }).toStrictEqual(CHECKED);
  const relations = [{ entityType: 'Order', property: 'DepotId', target: null }];
  await gateway.ask('POST', '/Shop/relate', { relations });
  const [refused, ...others] = await found();
  expect(refused).toBe('Order/DepotId refused contradicted');
  expect(others).toStrictEqual(CHECKED.filter((line) => !line.includes('/DepotId')));
});

it('accepts and refuses relations in the overlay, and serves them so at once', async () => {
  const { gateway, project, found } = await serveRelations();
  const relations = [
    { entityType: 'Order', property: 'BillingCustomerId', target: 'Customer' },
    { entityType: 'Order', property: 'DepotId', target: null },
  ];
  const { status } = await gateway.ask('POST', '/Shop/relate', { relations });
  expect(status).toBe(200);
  expect(readFileSync(project.path('openapi/shop.overlay.yaml'), 'utf8')).toBe(`overlay: 1.0.0
info:
  title: How entities are related
  version: "1"
actions:
  - target: $.components.schemas.Order
    update:
      x-odata:
        references:
          billing_customer_id: Customer
  - target: $.components.schemas.Order
    update:
      x-odata:
        references:
          depot_id: false
`);
  expect((await found()).filter((line) => !line.includes('suggested'))).toStrictEqual([
    'Order/BillingCustomerId declared open',
    'Order/DepotId refused open',
    'Order/CustomerId derived open',
  ]);
  expect(
    await gateway.json('/odata/Order(1)?$select=Id&$expand=BillingCustomer($select=Name)'),
  ).toMatchObject({ Id: 1, BillingCustomer: { Name: 'Customer 105' } });
  const refused = await gateway.json('/odata/Order(1)?$select=Id&$expand=Depot');
  expect(refused).toMatchObject({ error: { code: 'BadRequest' } });
});

it('rejects decisions that it cannot write', async () => {
  const { gateway } = await serveRelations();
  const decide = async (...relations: readonly unknown[]) => {
    const { status, body } = await gateway.ask('POST', '/Shop/relate', { relations });
    return [status, body.error.message];
  };
  expect(await decide()).toStrictEqual([
    400,
    'relations must be a list of objects with entityType, property, and target: the name of an entity set, or null to refuse.',
  ]);
  expect(await decide({ entityType: 'Order', property: '__proto__', target: 'Customer' })).toStrictEqual([
    404,
    'Order/__proto__ is no relation that can be accepted or refused.',
  ]);
  expect(await decide({ entityType: 'Order', property: 'CustomerId', target: 'Nothing' })).toStrictEqual([
    409,
    'The overlay is left as it is: Order/CustomerId would not refer to Nothing.',
  ]);
  expect((await gateway.ask('PUT', '/Shop/relations', {})).status).toBe(405);
  expect((await gateway.ask('GET', '/Nothing/relations')).status).toBe(404);
});

it('lists the relations of an API that is not served, and checks none of them', async () => {
  const { gateway, project } = await serveRelations();
  const document = readFileSync(project.path('openapi/shop.yaml'), 'utf8');
  await gateway.ask('POST', '', { name: 'Other', fileName: 'other.yaml', document });
  const { body } = await gateway.ask('GET', '/Other/relations');
  expect((body['relations'] as readonly unknown[]).length).toBe(8);
  expect((await gateway.ask('POST', '/Other/relations', {})).status).toBe(409);
});
