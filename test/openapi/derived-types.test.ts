import { expect, it } from 'vitest';
import { serveDocument } from './served-document.ts';

const ZOO = `
openapi: 3.1.0
info: { title: Zoo, version: '1' }
paths:
  /pets:
    get: { operationId: pets, responses: { '200': { description: ok, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Pet' } } } } } } }
    post:
      operationId: addPet
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } }
      responses: { '201': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } } }
  /pets/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: pet, responses: { '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } } } }
components:
  schemas:
    Pet:
      type: object
      required: [id, kind]
      properties: { id: { type: integer }, kind: { type: string } }
      discriminator: { propertyName: kind, mapping: { cat: Cat, lion: '#/components/schemas/Lion', simba: Lion, dog: Dog } }
    Cat: { allOf: [{ $ref: '#/components/schemas/Pet' }, { type: object, properties: { claws: { type: integer } } }] }
    Dog: { allOf: [{ $ref: '#/components/schemas/Pet' }], properties: { shape: { $ref: '#/components/schemas/Shape' } } }
    Lion: { allOf: [{ $ref: '#/components/schemas/Cat' }, { type: object, properties: { mane: { type: string } } }] }
    Shape: { type: object, required: [form], properties: { form: { type: string } }, discriminator: { propertyName: form } }
    Round: { allOf: [{ $ref: '#/components/schemas/Shape' }, { type: object, properties: { r: { type: integer } } }] }
    Ring: { allOf: [{ $ref: '#/components/schemas/Round' }, { type: object, properties: { hole: { type: integer } } }] }
`;

const CAT = { id: 1, kind: 'cat', claws: 3 };
const LION = { id: 2, kind: 'lion', claws: 9, mane: 'long' };
const SIMBA = { id: 3, kind: 'simba', mane: 'short' };
const DOG = { id: 4, kind: 'dog', shape: { form: 'Ring', r: 2, hole: 1 } };

const LION_ROW = { '@odata.type': '#Test.Lion', Id: 2, Kind: 'lion', Claws: 9, Mane: 'long' };
const SIMBA_ROW = { '@odata.type': '#Test.Lion', Id: 3, Kind: 'simba', Claws: null, Mane: 'short' };
const RING = { '@odata.type': '#Test.Ring', Form: 'Ring', R: 2, Hole: 1 };

it.each([
  [
    'Pet',
    [
      { '@odata.type': '#Test.Cat', Id: 1, Kind: 'cat', Claws: 3 },
      LION_ROW,
      SIMBA_ROW,
      { '@odata.type': '#Test.Dog', Id: 4, Kind: 'dog', Shape: RING },
    ],
  ],
  ['Pet/Test.Cat', [{ Id: 1, Kind: 'cat', Claws: 3 }, LION_ROW, SIMBA_ROW]],
  ["Pet?$filter=Test.Lion/Mane eq 'short'", [SIMBA_ROW]],
  [
    'Pet?$filter=isof(Test.Lion)&$select=Id',
    [
      { '@odata.type': '#Test.Lion', Id: 2 },
      { '@odata.type': '#Test.Lion', Id: 3 },
    ],
  ],
])('types derived from derived types are read by %s', async (path, value) => {
  const { ask } = await serveDocument(ZOO, { 'GET /pets': [CAT, LION, SIMBA, DOG] });
  expect(await ask(path)).toStrictEqual([200, { value }]);
});

it.each([
  ['Pet(2)', LION_ROW],
  ['Pet(2)/Test.Cat', LION_ROW],
  ['Pet(2)/Test.Lion/Mane', { value: 'long' }],
])('one of a type derived from a derived type is read by %s', async (path, entity) => {
  const { ask } = await serveDocument(ZOO, { 'GET /pets/2': LION });
  expect(await ask(path)).toStrictEqual([200, entity]);
});

it.each([
  [
    'Pet',
    { '@odata.type': '#Test.Lion', Id: 2, Claws: 9, Mane: 'long' },
    'POST /pets {"id":2,"claws":9,"mane":"long","kind":"lion"}',
    LION_ROW,
  ],
  [
    'Pet/Test.Cat',
    { '@odata.type': '#Test.Lion', Id: 2, Claws: 9, Mane: 'long' },
    'POST /pets {"id":2,"claws":9,"mane":"long","kind":"lion"}',
    LION_ROW,
  ],
  [
    'Pet',
    { '@odata.type': '#Test.Dog', Id: 4, Shape: { '@odata.type': '#Test.Ring', R: 2, Hole: 1 } },
    'POST /pets {"id":4,"shape":{"r":2,"hole":1,"form":"Ring"},"kind":"dog"}',
    { '@odata.type': '#Test.Dog', Id: 4, Kind: 'dog', Shape: RING },
  ],
])('one is created by POST %s of %j', async (path, body, sent, entity) => {
  const { ask, lastSent } = await serveDocument(ZOO, { 'POST /pets': (created: object) => created });
  expect(await ask(path, 'POST', body)).toStrictEqual([201, entity]);
  expect(lastSent()).toBe(sent);
});
