import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { modelFromOpenApi } from '../../src/derive/model-from-openapi.ts';

const FASTAPI = `
openapi: 3.1.0
info: { title: Clinic, version: "1" }
x-odata: SETTINGS
paths:
  /api/v1/appointments/conflicts:
    get: { operationId: check_appointment_conflicts_api_v1_appointments_conflicts_get, parameters: [{ name: day, in: query, required: true, schema: { type: string } }], responses: { "200": { description: OK, content: { application/json: { schema: { type: boolean } } } } } }
  /api/v1/appointments/{appointment_id}/token:
    post: { operationId: refresh_api_v1_appointments__appointment_id__token_post, parameters: [{ name: appointment_id, in: path, required: true, schema: { type: integer } }], responses: { "200": { description: OK, content: { application/json: { schema: { type: string } } } } } }
  /ping:
    get: { operationId: ping_get, responses: { "200": { description: OK, content: { application/json: { schema: { type: string } } } } } }
`;

const GO = `
openapi: 3.1.0
info: { title: Shop, version: "1" }
x-odata: SETTINGS
paths:
  /orders:
    get: { operationId: orders, responses: { "200": { description: OK, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/github_com_acme_shop_internal_models.Order" } } } } } } }
  /bills:
    get: { operationId: bills, responses: { "200": { description: OK, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/billing.Order" } } } } } } }
  /pods:
    get: { operationId: pods, responses: { "200": { description: OK, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/io.k8s.api.core.v1.Pod" } } } } } } }
components:
  schemas:
    github_com_acme_shop_internal_models.Order: { type: object, required: [id], properties: { id: { type: integer } } }
    billing.Order: { type: object, required: [id], properties: { id: { type: integer } } }
    io.k8s.api.core.v1.Pod: { type: object, required: [id], properties: { id: { type: integer } } }
`;

const modelOf = (document: string, settings: string) =>
  modelFromOpenApi([{ name: 'Test', document: parse(document.replace('SETTINGS', settings)) }]).model;
const callables = (settings: string) =>
  modelOf(FASTAPI, settings)
    .callables.map(({ name }) => name)
    .sort();
const namesOf = (settings: string) => {
  const { entityTypes, entitySets } = modelOf(GO, settings);
  return { types: [...entityTypes.keys()].sort(), sets: [...entitySets.keys()].sort() };
};

describe('names that a generator made', () => {
  it('have no path and method at their end', () => {
    expect(callables('{}')).toStrictEqual(['CheckAppointmentConflicts', 'PingGet', 'Refresh']);
    expect(callables('{ derive: "2026-12" }')).toStrictEqual(callables('{}'));
  });

  it('have no path of a package before them, and sets keep their names', () => {
    expect(namesOf('{}')).toStrictEqual({
      types: ['BillingOrder', 'IoK8sApiCoreV1Pod', 'Order'],
      sets: ['Bills', 'Orders', 'Pods'],
    });
  });

  it('stay as they were where the document keeps the first edition', () => {
    expect(callables('{ derive: "2026-11" }')).toStrictEqual([
      'CheckAppointmentConflictsApiV1AppointmentsConflictsGet',
      'PingGet',
      'RefreshApiV1AppointmentsAppointmentIdTokenPost',
    ]);
    expect(namesOf('{ derive: "2026-11" }')).toStrictEqual({
      types: ['BillingOrder', 'GithubComAcmeShopInternalModelsOrder', 'IoK8sApiCoreV1Pod'],
      sets: ['Bills', 'Orders', 'Pods'],
    });
  });
});

describe('x-odata.setNames', () => {
  const SETS = `
openapi: 3.1.0
info: { title: Shop, version: "1" }
x-odata: SETTINGS
paths:
  /people:
    get: { operationId: people, responses: { "200": { description: OK, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Person" } } } } } } }
  /stock:
    get: { operationId: stock, responses: { "200": { description: OK, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Item" } } } } } } }
components:
  schemas:
    Person: { type: object, required: [id], properties: { id: { type: integer } } }
    Item: { type: object, required: [id], properties: { id: { type: integer } }, x-odata: { entitySet: Stock } }
`;

  it.each([
    ['{}', ['Person', 'Stock']],
    ['{ setNames: plural }', ['People', 'Stock']],
  ])('%s names the sets %s', (settings, expected) => {
    expect([...modelOf(SETS, settings).entitySets.keys()].sort()).toStrictEqual(expected);
  });
});
