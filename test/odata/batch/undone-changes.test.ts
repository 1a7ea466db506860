import { describe, expect, it } from 'vitest';
import { CHANGES_DOCUMENT } from '../changes.document.ts';
import { changesApi } from '../changes-api.ts';
import { useShop } from '../changes-client.ts';

/** The shop, in which a customer is deleted in a state that is named. */
const { '/customers/{id}': CUSTOMER } = CHANGES_DOCUMENT.paths;
const DELETE = {
  ...CUSTOMER.delete,
  responses: { ...CUSTOMER.delete.responses, 428: { description: 'If-Match is missing.' } },
};
const ID = { name: 'id', in: 'path', required: true, schema: { type: 'integer', format: 'int32' } };
const OK = (schema: object) => ({
  200: { description: 'Found.', content: { 'application/json': { schema } } },
});

/** Entities that are created and deleted, and not changed. */
function removable(name: string): object {
  const path = `/${name.toLowerCase()}s`;
  const requestBody = { content: { 'application/json': { schema: part(name) } } };
  return {
    [path]: {
      get: { operationId: `list${name}`, responses: OK({ type: 'array', items: part(name) }) },
      post: { operationId: `create${name}`, requestBody, responses: { 201: OK(part(name))[200] } },
    },
    [`${path}/{id}`]: {
      parameters: [ID],
      get: { operationId: `read${name}`, responses: OK(part(name)) },
      delete: { operationId: `delete${name}`, responses: { 204: { description: 'Gone.' } } },
    },
  };
}

function part(name: string) {
  return { $ref: `#/components/schemas/${name}` };
}

function removableType(id: object): object {
  return { type: 'object', required: ['id'], properties: { id, note: { type: 'string' } } };
}

const { Customer } = CHANGES_DOCUMENT.components.schemas;
const secret = { type: 'string', writeOnly: true };
const { ask, gateway } = useShop({
  ...CHANGES_DOCUMENT,
  paths: {
    ...CHANGES_DOCUMENT.paths,
    '/customers/{id}': { ...CUSTOMER, delete: DELETE },
    ...removable('Box'),
    ...removable('Crate'),
    ...removable('Chest'),
    '/chests/{id}/shelves': {
      parameters: [ID],
      get: { operationId: 'shelves', responses: OK({ type: 'array', items: part('Shelf') }) },
    },
    '/chests/{id}/shelves/{number}': {
      parameters: [ID, { ...ID, name: 'number' }],
      get: { operationId: 'shelf', responses: OK(part('Shelf')) },
    },
  },
  components: {
    schemas: {
      ...CHANGES_DOCUMENT.components.schemas,
      Customer: { ...Customer, properties: { ...Customer.properties, secret } },
      Box: removableType({ type: 'integer', format: 'int32' }),
      Crate: removableType({ type: 'integer', format: 'int32', readOnly: true }),
      Chest: removableType({ type: 'integer', format: 'int32' }),
      Shelf: { type: 'object', required: ['number'], properties: { number: { type: 'integer' } } },
    },
  },
});
const TAKEN_BACK = 'What this request did has been undone: another one in its group failed.';
const KEPT = 'This request was carried out and cannot be undone, but another one in its group failed.';

/** The message for a change when a later one of its group fails, and the upstream requests for both. */
async function failedAfter(change: string, body: object) {
  const [method, url] = change.split(' ');
  const member = { id: 'a', atomicityGroup: 'g', method, url, headers: { 'odata-version': '4.01' }, body };
  const failing = {
    ...{ id: 'b', atomicityGroup: 'g', method: 'POST', url: 'Order', body: { Note: 'fail' } },
    // A delete would come after it otherwise.
    dependsOn: ['a'],
  };
  const { body: text, sent } = await ask('POST $batch', { requests: [member, failing] });
  const [{ status, body: answer }] = JSON.parse(text).responses;
  const failed = sent.indexOf('POST /orders {"note":"fail"}');
  return [status, answer.error.message, sent.slice(failed + 1)];
}

describe('a change of a change set that fails (Part 1, 11.7.7.4)', () => {
  it.each([
    [
      'POST Order',
      { Note: 'x', Items: [{ Product: 'tea' }], 'Tags@odata.bind': ["Tag('red')"] },
      ['DELETE /orders/10/tags/red', 'DELETE /orders/10/items/11', 'DELETE /orders/10'],
    ],
    ["PUT Setting('font')", { Value: 'serif' }, ['DELETE /settings/font']],
    ['POST Customer', { Name: 'Eve' }, ['DELETE /customers/10 if *']],
    ['POST Order', { Customer: { Name: 'Joe' } }, ['DELETE /orders/11', 'DELETE /customers/10 if *']],
    [
      'PATCH Order(1)',
      { Items: [{ Number: 1, Product: 'coffee' }] },
      ['PATCH /orders/1/items/1 {"product":"tea"}'],
    ],
    ['PATCH Customer(2)', { City: 'Ulm' }, ['PATCH /customers/2 {"city":null}']],
    ["PATCH Setting('colour')", { Value: 'red' }, ['PUT /settings/colour {"name":"colour","value":"green"}']],
    ["PUT Setting('colour')", { Value: 'red' }, ['PUT /settings/colour {"name":"colour","value":"green"}']],
    ["DELETE Setting('colour')", {}, ['PUT /settings/colour {"name":"colour","value":"green"}']],
  ])('is taken back with all that it did: %s %j', async (change, body, sent) => {
    expect(await failedAfter(change, body)).toStrictEqual([424, TAKEN_BACK, sent]);
  });

  it('is taken back from the state that it has left behind, where the API names states', async () => {
    const sent = ['PATCH /orders/1 if "r2" {"note":"first"}'];
    expect(await failedAfter('PATCH Order(1)', { Note: 'x' })).toStrictEqual([424, TAKEN_BACK, sent]);
  });

  it('is kept where somebody else has changed the entity since', async () => {
    const api = changesApi();
    gateway.upstream.behave((request, reply) => {
      if (request.method === 'POST') {
        const { headers: _, ...other } = request;
        const patch = { ...other, method: 'PATCH', target: '/orders/1', headers: {} };
        api(
          { ...patch, body: Buffer.from('{"note":"theirs"}') },
          { ...reply, json: () => {}, send: () => {} },
        );
      }
      api(request, reply);
    });
    expect(await failedAfter('PATCH Order(1)', { Note: 'x' })).toStrictEqual([424, KEPT, []]);
  });

  it.each([
    // Its items have gone with it.
    ['DELETE Order(1)', {}],
    // The earlier secret cannot be read.
    ['PATCH Customer(2)', { City: 'Ulm', Secret: 'x' }],
  ])('is said to be kept where nothing takes it back: %s', async (change, body) => {
    expect(await failedAfter(change, body)).toStrictEqual([424, KEPT, []]);
  });

  it.each([
    ['Box', { Id: 10, Note: 'x' }, TAKEN_BACK, ['POST /boxs {"id":10,"note":"x"}']],
    // Its key would be another one.
    ['Crate', { Note: 'x' }, KEPT, []],
    // The earlier shelves are unknown.
    ['Chest', { Id: 10, Note: 'x' }, KEPT, []],
  ])('that deletes a %s is as it can be', async (set, entity, message, sent) => {
    await ask(`POST ${set}`, entity);
    expect(await failedAfter(`DELETE ${set}(10)`, {})).toStrictEqual([424, message, sent]);
  });
});

it.each([
  ['PATCH Customer(9)', { City: 'Ulm' }],
  ['DELETE Order(9)', {}],
])('sends nothing of a change set where an entity is not there: %s', async (change, body) => {
  const [method, url] = change.split(' ');
  const headers = { 'odata-version': '4.01' };
  const create = { id: 'a', atomicityGroup: 'g', method: 'POST', url: 'Order', headers, body: { Note: 'x' } };
  const missing = { id: 'b', atomicityGroup: 'g', method, url, headers, body };
  const { body: text, sent } = await ask('POST $batch', { requests: [create, missing] });
  const statuses = JSON.parse(text).responses.map(({ status }: { status: number }) => status);
  expect([statuses, sent]).toStrictEqual([[424, 404], []]);
});
