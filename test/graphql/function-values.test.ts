import { expect, it } from 'vitest';
import { serveDocument } from '../openapi/served-document.ts';

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const answer = (schema: string) => `responses: { '200': { description: x, ${json(schema)} } }`;

const DOCUMENT = `
openapi: 3.1.0
info: { title: Days, version: '1' }
paths:
  /found:
    get:
      operationId: found
      x-odata: { function: Found }
      parameters:
        - { name: tag, in: query, required: true, schema: { type: array, items: { type: string } } }
        - { name: size, in: query, schema: { type: integer, default: 20 } }
        - { name: more, in: query, schema: { type: array, items: { type: string } } }
      ${answer('{ type: integer }')}
  /open:
    get: { operationId: open, x-odata: { function: Open }, ${answer("{ $ref: '#/components/schemas/Days' }")} }
  /opened:
    post: { operationId: opened, x-odata: { action: Opened }, ${answer("{ $ref: '#/components/schemas/Days' }")} }
components:
  schemas:
    Days: { type: integer, minimum: 0, maximum: 3, x-odata: { flags: true, members: { None: 0, Monday: 1, Tuesday: 2 } } }
`;

const serve = () =>
  serveDocument(DOCUMENT, { 'GET /found?tag=a&tag=b&size=20': 5, 'GET /open': 3, 'POST /opened': 2 });

it('a list that the API demands is required, and a default is that of the document', async () => {
  const { query } = await serve();
  const args = '{ __type(name: "Query") { fields { name args { name defaultValue type { kind } } } } }';
  expect(await query(args)).toMatchObject({
    data: {
      __type: {
        fields: expect.arrayContaining([
          {
            name: 'found',
            args: [
              { name: 'tag', defaultValue: null, type: { kind: 'NON_NULL' } },
              { name: 'size', defaultValue: '20', type: { kind: 'SCALAR' } },
              { name: 'more', defaultValue: null, type: { kind: 'LIST' } },
            ],
          },
        ]),
      },
    },
  });
  const message = 'Field "found" argument "tag" of type "[String!]!" is required, but it was not provided.';
  expect(await query('{ found }')).toMatchObject({ errors: [{ message }] });
  expect(await query('{ found(tag: ["a", "b"]) }')).toEqual({ data: { found: 5 } });
});

it('flags that functions and actions return are lists', async () => {
  const { query } = await serve();
  expect(await query('{ open }')).toEqual({ data: { open: ['Monday', 'Tuesday'] } });
  expect(await query('mutation { opened }')).toEqual({ data: { opened: ['Tuesday'] } });
});
