import { expect, it } from 'vitest';
import { serveDocument } from '../openapi/served-document.ts';

const secret = (name: string) => `{ type: string, writeOnly: true, x-odata: { name: ${name} } }`;
const user = 'content: { application/json: { schema: { $ref: "#/components/schemas/User" } } }';

const DOCUMENT = `
openapi: 3.1.0
info: { title: Users, version: 1.0.0 }
paths:
  /users:
    get: { responses: { "200": { description: OK, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/User" } } } } } } }
    post: { requestBody: { ${user} }, responses: { "201": { description: Made, ${user} } } }
components:
  schemas:
    User: { type: object, properties: { id: { type: string, readOnly: true }, a: ${secret('Pin')}, b: ${secret('pin')} } }
`;

it('properties that are only written have inputs of their own, however alike their names are', async () => {
  const { query, lastSent } = await serveDocument(DOCUMENT, { 'POST /users': { id: '1' } });
  const schema = '{ __type(name: "UserInput") { inputFields { name } } }';
  const names = ['pin', 'pin_2'];
  expect(await query(schema)).toEqual({ data: { __type: { inputFields: names.map((name) => ({ name })) } } });
  await query('mutation { createUser(input: { pin: "1", pin_2: "2" }) { id } }');
  expect(lastSent()).toBe('POST /users {"a":"1","b":"2"}');
});
