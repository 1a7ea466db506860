import { describe, expect, it } from 'vitest';
import { serveDocument } from './served-document.ts';

const DOCUMENT = `openapi: 3.1.0
info: { title: Items, version: "1" }
paths:
  /items:
    get:
      operationId: items
      responses: { "200": { content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Item" } } } } } }
  /items/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get: { operationId: item, responses: { "200": { content: { application/json: { schema: { $ref: "#/components/schemas/Item" } } } } } }
    delete: { operationId: deleteItem, responses: { "204": { description: gone } } }
components:
  schemas:
    Item: { type: object, required: [id], properties: { id: { type: string }, name: { type: string } } }
`;

const KEYS = ['', '.', '..', 'a\tb', 'x'.repeat(300), '\u007f'];
const ITEMS = [...KEYS, 'plain'].map((id, index) => ({ id, name: `n${index}` }));

describe('an entity whose key cannot stand in a path', () => {
  it.each(KEYS.map((key, index) => [key, index] as const))(
    'is read from the list: %j',
    async (key, index) => {
      const served = await serveDocument(DOCUMENT, { 'GET /items': ITEMS });
      const [, list] = await served.ask('Item?$format=application/json;odata.metadata=full');
      const { value } = list as { value: readonly Record<string, string>[] };
      const id = value[index]?.['@odata.id'] ?? '';
      const { status, text } = await read(served.gateway.url, `/odata/${id}`);
      expect([status, JSON.parse(text).Name]).toStrictEqual([200, `n${index}`]);
      const found = await served.query(`{ item(id: ${JSON.stringify(key)}) { name } }`);
      expect(found).toStrictEqual({ data: { item: { name: `n${index}` } } });
    },
  );

  it('is not there where the list lacks it, and is not called for', async () => {
    const served = await serveDocument(DOCUMENT, { 'GET /items': [{ id: 'plain', name: 'n' }] });
    expect(await served.ask("Item('')")).toStrictEqual([
      404,
      { error: { code: 'NotFound', message: "There is no Item('')." } },
    ]);
    expect(served.lastSent()).toBe('GET /items');
  });
});

describe('a change of such an entity', () => {
  it('is refused, and not sent', async () => {
    const served = await serveDocument(DOCUMENT, { 'GET /items': ITEMS });
    expect(await served.ask("Item('..')", 'DELETE')).toStrictEqual([
      400,
      {
        error: {
          code: 'BadRequest',
          message: '"id" must not be a relative path; found "..".',
          target: 'id',
        },
      },
    ]);
    expect(served.lastSent()).not.toContain('DELETE');
  });
});

async function read(url: string, path: string): Promise<{ status: number; text: string }> {
  const response = await fetch(url + path);
  return { status: response.status, text: await response.text() };
}
