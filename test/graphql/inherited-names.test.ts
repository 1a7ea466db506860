import { describe, expect, it } from 'vitest';
import { serveDocument } from '../openapi/served-document.ts';

/** Properties and a parameter with names that every object of JavaScript has something under. */
const DOCUMENT = `
openapi: 3.1.0
info: { title: Races, version: '1' }
paths:
  /results:
    get: { operationId: results, responses: { '200': { description: x, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Result' } } } } } } }
    post:
      operationId: newResult
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Result' } } } }
      responses: { '201': { description: x, content: { application/json: { schema: { $ref: '#/components/schemas/Result' } } } } }
  /results/{id}: { get: { operationId: result, parameters: [{ name: id, in: path, required: true, schema: { type: integer } }], responses: { '200': { description: x, content: { application/json: { schema: { $ref: '#/components/schemas/Result' } } } } } } }
  /protest:
    post:
      operationId: protest
      requestBody: { content: { application/json: { schema: { type: object, properties: { constructor: { type: string }, reason: { type: string } } } } } }
      responses: { '200': { description: x, content: { application/json: { schema: { type: string } } } } }
components:
  schemas:
    Car: { type: object, properties: { constructor: { type: string }, toString: { type: string } } }
    Result:
      type: object
      required: [id]
      properties:
        id: { type: integer }
        constructor: { type: string }
        car: { $ref: '#/components/schemas/Car' }
        valueOf: { type: string }
`;

const serve = () =>
  serveDocument(DOCUMENT, {
    'GET /results': [{ id: 1, constructor: 'Lotus', car: {} }, { id: 2 }],
    'GET /results/1': { id: 1, constructor: 'Lotus', car: {} },
    'GET /results/2': { id: 2 },
    'POST /results': (sent: object) => ({ ...sent, id: 3 }),
    'POST /protest': 'noted',
  });

describe('names that all objects of JavaScript have something under', () => {
  it.each([
    ['{ id: { eq: "1" } }', [{ id: '1' }]],
    ['{ constructor: { eq: "Lotus" } }', [{ id: '1' }]],
    ['{ car: { toString: { eq: null } } }', [{ id: '1' }, { id: '2' }]],
  ])('are left out of conditions like others: %s', async (where, results) => {
    const { query } = await serve();
    const text = '($where: ResultFilter) { results(where: $where) { id } }';
    const variables = { where: JSON.parse(where.replaceAll(/(\w+):/g, '"$1":')) };
    // The second time, the document is known.
    for (const _ of [1, 2]) {
      expect(await query(`query ${text}`, variables)).toEqual({ data: { results } });
    }
    expect(await query(`{ results(where: ${where}) { id } }`)).toEqual({ data: { results } });
  });

  it('are left out of orders', async () => {
    const { query } = await serve();
    const answer = await query('query($order: [ResultOrder!]) { results(order: $order) { id } }', {
      order: [{ id: 'DESC' }],
    });
    expect(answer).toEqual({ data: { results: [{ id: '2' }, { id: '1' }] } });
  });

  it('are left out of inputs, and sent where they are given', async () => {
    const { query, lastSent } = await serve();
    const create = 'mutation($input: ResultInput!) { createResult(input: $input) { id } }';
    expect(await query(create, { input: { car: {} } })).toEqual({ data: { createResult: { id: '3' } } });
    expect(lastSent()).toBe('POST /results {"car":{}}');
    await query(create, { input: { constructor: 'Lotus', car: { toString: '49' } } });
    expect(lastSent()).toBe('POST /results {"constructor":"Lotus","car":{"toString":"49"}}');
  });

  it('are left out of arguments', async () => {
    const { query, lastSent } = await serve();
    expect(await query('mutation { protest(reason: "dirt") }')).toEqual({ data: { protest: 'noted' } });
    expect(lastSent()).toBe('POST /protest {"reason":"dirt"}');
  });

  it('are null where the API sends nothing under them', async () => {
    const { query, ask } = await serve();
    const results = [
      { constructor: 'Lotus', valueOf: null, car: { toString: null } },
      { constructor: null, valueOf: null, car: null },
    ];
    for (const _ of [1, 2]) {
      expect(await query('{ results { constructor valueOf car { toString } } }')).toEqual({
        data: { results },
      });
    }
    for (const _ of [1, 2]) {
      expect(await query('{ result(id: "2") { constructor valueOf } }')).toEqual({
        data: { result: { constructor: null, valueOf: null } },
      });
    }
    expect(await ask('Result(2)')).toEqual([200, { Id: 2, Constructor: null, Car: null, ValueOf: null }]);
  });
});
