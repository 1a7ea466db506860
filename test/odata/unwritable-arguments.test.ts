import { expect, it } from 'vitest';
import { serveDocument } from '../openapi/served-document.ts';

const ref = (name: string) => `{ $ref: '#/components/schemas/${name}' }`;
const answered = (schema: string) =>
  `{ 200: { description: x, content: { application/json: { schema: ${schema} } } } }`;

/** The key is text, and the upstream takes one form of it. */
function documentOf(parameter: string): string {
  return `
openapi: 3.1.0
info: { title: Things, version: 1.0.0 }
paths:
  /things: { get: { operationId: things, responses: ${answered(`{ type: array, items: ${ref('Thing')} }`)} } }
  /things/{code}:
    parameters: [{ name: code, in: path, required: true, schema: ${parameter} }]
    get: { operationId: thing, responses: ${answered(ref('Thing'))} }
    delete: { operationId: removeThing, responses: { 204: { description: x } } }
components: { schemas: { Thing: { type: object, properties: { code: { type: string } } } } }
`;
}

it.each([
  ['{ type: string, format: uuid }', 'x'],
  ['{ type: string, format: date }', '2024-02-30'],
  ['{ type: string, format: date-time }', 'noon'],
  ['{ type: integer }', '007'],
  ['{ type: number }', 'x'],
])(
  'there is no entity whose key, as %s, would be %s, and nothing is called for it',
  async (parameter, key) => {
    const served = await serveDocument(documentOf(parameter));
    const message = `There is no Thing('${key}').`;
    expect(await served.ask(`Thing('${key}')`)).toStrictEqual([
      404,
      { error: { code: 'NotFound', message } },
    ]);
    const [status] = await served.ask(`Thing('${key}')`, 'DELETE');
    expect(status).toBe(404);
    expect(served.lastSent()).toBeUndefined();
  },
);
