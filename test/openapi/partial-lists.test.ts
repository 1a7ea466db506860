import { describe, expect, it } from 'vitest';
import { serveDocument } from './served-document.ts';

/** A list that has less of its entities than their read. */
const DOCUMENT = `
openapi: 3.1.0
info: { title: Things, version: 1.0.0 }
paths:
  /things/:
    get:
      operationId: things
      responses: { "200": { description: OK, content: { application/json: { schema: { type: object, properties: { data: { type: array, items: { $ref: "#/components/schemas/ThingSummary" } }, errors: { type: array, items: { type: object, properties: { code: { type: string } } } } } } } } } }
  /things/{thing_id}/:
    parameters: [{ name: thing_id, in: path, required: true, schema: { type: integer, format: int32 } }]
    get:
      operationId: thing
      responses: { "200": { description: OK, content: { application/json: { schema: { type: object, properties: { data: { $ref: "#/components/schemas/Thing" } } } } } } }
    post:
      operationId: changeThing
      requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Thing" } } } }
      responses: { "200": { description: OK, content: { application/json: { schema: { type: object, properties: { data: { $ref: "#/components/schemas/Thing" } } } } } } }
components:
  schemas:
    ThingSummary: { type: object, properties: { id: { type: integer, format: int32 }, name: { type: string } } }
    Thing: { type: object, properties: { id: { type: integer, format: int32 }, name: { type: string }, size: { type: integer, format: int32 } } }
`;

const ANSWERS = {
  'GET /things/': {
    data: [
      { id: 1, name: 'Ant' },
      { id: 2, name: 'Bee' },
    ],
  },
  'GET /things/1/': { data: { id: 1, name: 'Ant', size: 3 } },
  'GET /things/2/': { data: { id: 2, name: 'Bee', size: 12 } },
  'POST /things/2/': (sent: object) => ({ data: { id: 2, name: 'Bee', ...sent } }),
};

describe('a list that has less of its entities than their read', () => {
  it.each([
    [
      'Thing',
      {
        value: [
          { Id: 1, Name: 'Ant', Size: null },
          { Id: 2, Name: 'Bee', Size: null },
        ],
      },
    ],
    ['Thing(2)', { Id: 2, Name: 'Bee', Size: 12 }],
    [
      'Thing?$select=Id,Size',
      {
        value: [
          { Id: 1, Size: 3 },
          { Id: 2, Size: 12 },
        ],
      },
    ],
    ['Thing?$filter=Size gt 5&$select=Id,Name', { value: [{ Id: 2, Name: 'Bee' }] }],
    ['Thing?$orderby=Size desc&$top=1', { value: [{ Id: 2, Name: 'Bee', Size: 12 }] }],
    ['Thing?$filter=Size gt 5&$count=true&$select=Id', { '@odata.count': 1, value: [{ Id: 2 }] }],
  ])('answers %s', async (path, expected) => {
    const { ask } = await serveDocument(DOCUMENT, ANSWERS);
    expect(await ask(path)).toEqual([200, expected]);
  });

  it('counts by what their reads have', async () => {
    const { gateway } = await serveDocument(DOCUMENT, ANSWERS);
    const count = await fetch(`${gateway.url}/odata/Thing/$count?$filter=Size gt 5`);
    expect([count.status, await count.text()]).toEqual([200, '1']);
  });

  it('reads by themselves only the entities that are shown', async () => {
    const { ask, lastSent } = await serveDocument(DOCUMENT, ANSWERS);
    await ask('Thing?$select=Size&$top=1');
    expect(lastSent()).toBe('GET /things/1/');
  });

  it('reads no more than a hundred by themselves', async () => {
    const data = Array.from({ length: 101 }, (_, id) => ({ id, name: 'x' }));
    const { ask } = await serveDocument(DOCUMENT, { 'GET /things/': { data } });
    expect(await ask('Thing?$select=Size')).toEqual([
      400,
      {
        error: {
          code: 'BadRequest',
          message:
            'The list does not include Size, so each entity is read by itself. Expected at most 100 entities, found 101; narrow the conditions, or use $top.',
        },
      },
    ]);
  });

  it('is changed by a POST on the path of one entity, where nothing else changes it', async () => {
    const { ask, lastSent } = await serveDocument(DOCUMENT, ANSWERS);
    expect(await ask('Thing(2)', 'PATCH', { Size: 13 })).toEqual([204]);
    expect(lastSent()).toBe('POST /things/2/ {"size":13}');
  });
});
