import { describe, expect, it } from 'vitest';
import { serveDocument } from './served-document.ts';

const answer = (schema: string) =>
  `responses: { "200": { description: OK, content: { application/json: { schema: ${schema} } } } }`;

/** Marks are only listed, and have nothing but a name for a key. */
const DOCUMENT = `
openapi: 3.1.0
info: { title: Test, version: "1" }
x-odata: { namespace: Test, grants: { User: [View] } }
paths:
  /marks: { get: { ${answer('{ type: array, items: { $ref: "#/components/schemas/Mark" } }')} } }
  /pins: { get: { ${answer('{ type: array, items: { $ref: "#/components/schemas/Pin" } }')} } }
  /pins/{id}:
    get:
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      ${answer('{ type: array, items: { $ref: "#/components/schemas/Pin" } }')}
components:
  schemas:
    Pin: { type: object, properties: { id: { type: string }, size: { type: integer } } }
    Mark: { type: object, required: [name], properties: { name: { type: [string, "null"] }, size: { type: integer } } }
`;

const serve = (rows: readonly object[]) => serveDocument(DOCUMENT, { 'GET /marks': rows });

describe('entities with one key', () => {
  const ROWS = [
    { name: 'Ford', size: 1 },
    { name: 'Opel', size: 2 },
    { name: 'Ford', size: 3 },
    { name: 'Ford', size: 4 },
  ];

  it('are read, counted, and warned of once', async () => {
    const { ask, entries, gateway } = await serve(ROWS);
    const [status, body] = await ask('Mark?$orderby=Size');
    expect([status, (body as { value: readonly unknown[] }).value.length]).toEqual([200, 4]);
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(metrics.split('\n').filter((line) => line.startsWith('duogate_upstream_deviations'))).toEqual([
      'duogate_upstream_deviations_total{source="Test",property="Mark/name as key"} 2',
    ]);
    expect(entries().filter(({ property }) => property === 'Mark/name as key')).toEqual([
      expect.objectContaining({ source: 'Test', expected: 'a key that no other item has', found: 'a text' }),
    ]);
  });

  it('are refused where one of them is asked for by the key', async () => {
    const { ask, query } = await serve(ROWS);
    const message = "There is more than one Mark('Ford'): the API gives several entities this key.";
    expect(await ask("Mark('Ford')")).toEqual([502, { error: { code: 'UpstreamBadResponse', message } }]);
    expect(await ask("Mark('Opel')")).toEqual([200, { Name: 'Opel', Size: 2 }]);
    expect(await query('{ mark(name: "Ford") { size } }')).toMatchObject({
      errors: [{ message }],
    });
  });
});

describe('an entity that its path answers with several of', () => {
  it('is refused', async () => {
    const pin = { id: 'a', size: 1 };
    const { ask } = await serveDocument(DOCUMENT, {
      'GET /pins/a': [pin, { ...pin, size: 2 }],
      'GET /pins/b': [{ id: 'b', size: 3 }, pin],
    });
    expect((await ask("Pin('a')"))[0]).toBe(502);
    expect(await ask("Pin('b')")).toEqual([200, { Id: 'b', Size: 3 }]);
  });
});

describe('an entity whose key is null', () => {
  const ROWS = [
    { name: 'Opel', size: 2 },
    { name: null, size: 3 },
  ];

  it('is transient: it has no URL, and no key that is null', async () => {
    const { ask, query, gateway } = await serve(ROWS);
    expect(await ask('Mark')).toEqual([
      200,
      {
        value: [
          { Name: 'Opel', Size: 2 },
          { '@odata.id': null, Size: 3 },
        ],
      },
    ]);
    expect(await ask('Mark?$filter=Size eq 3&$select=Size')).toEqual([
      200,
      { value: [{ '@odata.id': null, Size: 3 }] },
    ]);
    expect(await ask("Mark('null')")).toMatchObject([404, {}]);
    expect(await query('{ marks { name size } }')).toEqual({
      data: {
        marks: [
          { name: 'Opel', size: 2 },
          { name: null, size: 3 },
        ],
      },
    });
    const full = await fetch(`${gateway.url}/odata/Mark`, {
      headers: { accept: 'application/json;odata.metadata=full' },
    });
    const { value } = (await full.json()) as { value: readonly Record<string, unknown>[] };
    expect(value.map((row) => [row['@odata.id'], row['@odata.editLink'], 'Name' in row])).toEqual([
      ["Mark('Opel')", undefined, true],
      [null, undefined, false],
    ]);
  });

  it('is no error as a row of CSV', async () => {
    const { gateway } = await serve(ROWS);
    const response = await fetch(`${gateway.url}/odata/Mark?$format=csv`);
    expect([response.status, (await response.text()).trim().split('\r\n')]).toEqual([
      200,
      ['Name,Size', 'Opel,2', ',3'],
    ]);
  });
});
