import { expect, it } from 'vitest';
import { serveDocument } from '../openapi/served-document.ts';

const DOCUMENT = `
openapi: 3.1.0
info: { title: Boats, version: '1' }
paths:
  /boats:
    get: { operationId: boats, responses: { '200': { description: x, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Boat' } } } } } } }
    post: { operationId: addBoat, requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Boat' } } } }, responses: { '201': { description: x, content: { application/json: { schema: { $ref: '#/components/schemas/Boat' } } } } } }
components:
  schemas:
    Boat:
      description: ''
      type: object
      required: [id, rig, name]
      properties:
        id: { type: integer, readOnly: true }
        name: { type: string, description: ' ' }
        rig: { type: string, description: The sails., enum: [sloop, ketch] }
        hull: { type: string, enum: [one, two], default: one, deprecated: true }
`;

it('descriptions list the values that the API allows, and are not empty', async () => {
  const { query } = await serveDocument(DOCUMENT);
  const kind = 'type { kind }';
  const fields = `description fields { name description } inputFields { name description defaultValue isDeprecated ${kind} }`;
  const { data } = (await query(
    `{ boat: __type(name: "Boat") { ${fields} } input: __type(name: "BoatInput") { description inputFields(includeDeprecated: true) { name description defaultValue isDeprecated ${kind} } } }`,
  )) as { data: unknown };
  expect(data).toStrictEqual({
    boat: {
      description: null,
      inputFields: null,
      fields: [
        { name: 'nodeId', description: null },
        { name: 'id', description: null },
        { name: 'name', description: null },
        { name: 'rig', description: 'The sails.\n\nOne of: sloop, ketch' },
      ],
    },
    input: {
      description: null,
      inputFields: [
        {
          name: 'name',
          description: null,
          defaultValue: null,
          isDeprecated: false,
          type: { kind: 'NON_NULL' },
        },
        {
          name: 'rig',
          description: 'The sails.\n\nOne of: sloop, ketch',
          defaultValue: null,
          isDeprecated: false,
          type: { kind: 'NON_NULL' },
        },
        {
          name: 'hull',
          description: 'One of: one, two',
          defaultValue: '"one"',
          isDeprecated: true,
          type: { kind: 'SCALAR' },
        },
      ],
    },
  });
});
