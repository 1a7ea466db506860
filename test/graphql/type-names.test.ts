import { expect, it } from 'vitest';
import { serveDocument } from '../openapi/served-document.ts';

/** A schema, and one whose name is that of the first with the beginning of a name that is made of it. */
const NAMES = ['Role', 'RoleGroup', 'RoleList', 'RoleConnection', 'RoleCount', 'RoleListFilter'];

const path = (name: string) => `
  /${name}s:
    get: { operationId: list${name}, responses: { "200": { content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/${name}" } } } } } } }
    post: { operationId: add${name}, requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/${name}" } } } }, responses: { "201": { content: { application/json: { schema: { $ref: "#/components/schemas/${name}" } } } } } }
  /${name}s/{id}:
    get: { operationId: get${name}, parameters: [{ name: id, in: path, required: true, schema: { type: integer } }], responses: { "200": { content: { application/json: { schema: { $ref: "#/components/schemas/${name}" } } } } } }
    put: { operationId: change${name}, parameters: [{ name: id, in: path, required: true, schema: { type: integer } }], requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/${name}" } } } }, responses: { "200": { content: { application/json: { schema: { $ref: "#/components/schemas/${name}" } } } } } }`;

/** Each entity has a property of its own name, and lists of the others. */
const schema = (name: string) => `
    ${name}:
      type: object
      required: [id]
      properties:
        id: { type: integer }
        of${name}: { type: string }
${NAMES.filter((other) => other !== name)
  .map((other) => `        all${other}: { type: array, items: { $ref: "#/components/schemas/${other}" } }`)
  .join('\n')}`;

const GROUPS = `
  /Roles/{id}/groups:
    get: { operationId: groupsOfRole, parameters: [{ name: id, in: path, required: true, schema: { type: integer } }], responses: { "200": { content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/RoleGroup" } } } } } } }`;

const DOCUMENT = `
openapi: 3.1.0
info: { title: Names, version: "1" }
paths:${NAMES.map(path).join('')}${GROUPS}
components:
  schemas:${NAMES.map(schema).join('')}
`;

const ROWS = [
  { id: 1, ofRole: 'x', allRoleGroup: [{ id: 2, ofRoleGroup: 'y', allRole: [{ id: 3, ofRole: 'z' }] }] },
];

it('makes no name of two types that one of them could be meant by', async () => {
  const served = await serveDocument(DOCUMENT, { 'GET /Roles': ROWS });
  const { data } = (await served.query('{ __schema { types { name kind inputFields { name } } } }')) as {
    data: { __schema: { types: { name: string; kind: string; inputFields: { name: string }[] | null }[] } };
  };
  const { types } = data.__schema;
  const names = types.map(({ name }) => name);
  expect(names.length).toBe(new Set(names).size);
  for (const name of NAMES) {
    // Only the conditions on the entities themselves know their property, and each entity has conditions.
    const conditions = types.filter(
      ({ kind, inputFields }) =>
        kind === 'INPUT_OBJECT' && inputFields?.some((field) => field.name === `of${name}`),
    );
    expect(
      conditions.some(({ inputFields }) => inputFields?.some((field) => field.name === 'and')),
      name,
    ).toBe(true);
  }
  expect(
    await served.query(
      '{ roles(where: { and: [{ ofRole: { eq: "x" } }, { allRoleGroup: { some: { allRole: { some: { ofRole: { eq: "z" } } } } } }] }) { id } }',
    ),
  ).toStrictEqual({ data: { roles: [{ id: '1' }] } });
  expect(
    await served.query('{ rolesConnection { groups(by: [ofRole]) { key { ofRole } count } } }'),
  ).toStrictEqual({ data: { rolesConnection: { groups: [{ key: { ofRole: 'x' }, count: 1 }] } } });
});
