import { describe, expect, it } from 'vitest';
import { serveDocument } from './served-document.ts';

const answer = (schema: string) =>
  `{ '200': { description: ok, content: { application/json: { schema: ${schema} } } } }`;
const reference = (name: string) => `{ $ref: '#/components/schemas/${name}' }`;

/** Things with an `id`, of that schema, and others. */
function things(id: string, p: string, schemas: readonly string[]): string {
  return `
openapi: 3.1.0
info: { title: Things, version: '1' }
paths:
  /things: { get: { operationId: things, responses: ${answer(`{ type: array, items: ${reference('Thing')} }`)} } }
  /things/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get: { operationId: thing, responses: ${answer(reference('Thing'))} }
components:
  schemas:
    Thing: { type: object, x-odata: { grants: { User: [View] } }, properties: { id: ${id}, p: ${p} } }
${schemas.map((schema) => `    ${schema}`).join('\n')}
`;
}

const P = reference('P');
const DERIVED = `Q: { allOf: [${P}, { type: object, properties: { x: { type: string } } }] }`;
const base = (discriminator: string, type = 'string') =>
  `P: { type: object, properties: { k: { type: ${type} } }, discriminator: ${discriminator} }`;

describe('an odd discriminator', () => {
  it.each([
    ['no property', [base('{}'), DERIVED], { k: 'Q', x: '1' }, { K: 'Q' }],
    ['a text, as OpenAPI 2.0 has it', [base('k'), DERIVED], { k: 'Q', x: '1' }, { K: 'Q' }],
    [
      'a property that is not declared',
      [base('{ propertyName: other }'), DERIVED],
      { k: 'a', other: 'Q', x: '1' },
      { '@odata.type': '#Test.Q', K: 'a', X: '1' },
    ],
    [
      'numbers for values',
      [base('{ propertyName: k, mapping: { 1: Q } }', 'integer'), DERIVED],
      { k: 1, x: '1' },
      { '@odata.type': '#Test.Q', K: 1, X: '1' },
    ],
    [
      'a mapping to a text',
      [base('{ propertyName: k, mapping: { s: S } }'), 'S: { type: string }'],
      { k: 's' },
      { K: 's' },
    ],
    ['a mapping that is a list', [base('{ propertyName: k, mapping: [1] }')], { k: 's' }, { K: 's' }],
    [
      'a mapping to a circle',
      [base('{ propertyName: k, mapping: { l: L } }'), `L: ${reference('M')}`, `M: ${reference('L')}`],
      { k: 'l' },
      { K: 'l' },
    ],
    [
      'a mapping with encoded names',
      [base('{ propertyName: k, mapping: { x: "#/components/schemas/a~1b" } }'), DERIVED.replace('Q', 'a/b')],
      { k: 'x', x: '1' },
      { '@odata.type': '#Test.AB', K: 'x', X: '1' },
    ],
    [
      'a branch that is a text',
      [
        `P: { oneOf: [${reference('A')}, { type: string }], discriminator: { propertyName: k } }`,
        'A: { type: object, properties: { k: { type: string } } }',
      ],
      { k: 'A' },
      { '@odata.type': '#Test.A', K: 'A' },
    ],
    [
      'seventy steps',
      [
        base('{ propertyName: k }'),
        `C0: { allOf: [${P}] }`,
        ...Array.from({ length: 69 }, (_, index) => `C${index + 1}: { allOf: [${reference(`C${index}`)}] }`),
      ],
      { k: 'C9' },
      { '@odata.type': '#Test.C9', K: 'C9' },
    ],
  ])('with %s is served', async (_, schemas, value, expected) => {
    const document = things('{ type: string }', P, schemas);
    const { ask } = await serveDocument(document, { 'GET /things/1': { id: '1', p: value } });
    const [status, entity] = await ask("Thing('1')");
    const { Id: id, P: p } = entity as Record<string, Record<string, unknown>>;
    expect([status, id]).toStrictEqual([200, '1']);
    expect(Object.fromEntries(Object.entries(p ?? {}).toSorted())).toStrictEqual(expected);
  });
});

describe('an odd key', () => {
  it.each([
    ['{ type: string, writeOnly: true }', 'Id cannot be a key: it is write-only'],
    ['{ type: object }', 'Id cannot be a key: OData has no keys of its type'],
  ])('of %s reads nothing, and is reported', async (id, message) => {
    const { ask, entries } = await serveDocument(things(id, '{ type: string }', []));
    expect(await ask("Thing('1')")).toMatchObject([404, {}]);
    expect(entries()).toContainEqual(
      expect.objectContaining({ msg: message, pointer: '/components/schemas/Thing/properties/id' }),
    );
  });
});

describe('a key that is any number', () => {
  it.each(['{ type: number }', '{ type: number, format: double }'])(
    'of %s is decimal, and reads the entity',
    async (id) => {
      const row = { id: 7, p: 'x' };
      const { ask, csdl, query } = await serveDocument(things(id, '{ type: string }', []), {
        'GET /things': [row, { id: 8.5, p: 'y' }],
        'GET /things/7': row,
      });
      expect(await csdl('<Property Name="Id"')).toEqual([
        '<Property Name="Id" Type="Edm.Decimal" Nullable="false" Scale="variable"/>',
      ]);
      expect(await ask('Thing(7)')).toEqual([200, { Id: 7, P: 'x' }]);
      expect(await ask('Thing?$filter=Id gt 8')).toEqual([200, { value: [{ Id: 8.5, P: 'y' }] }]);
      expect(await query('{ thing(id: 7) { p } }')).toEqual({ data: { thing: { p: 'x' } } });
    },
  );
});

describe('a name that objects have of themselves', () => {
  it.each(['toString', 'constructor', 'hasOwnProperty', 'valueOf'])(
    'may be that of a set: %s',
    async (name) => {
      const thing = { type: 'object', properties: { id: { type: 'string' }, p: { type: 'string' } } };
      const schema = JSON.stringify({ ...thing, 'x-odata': { entitySet: name, grants: { User: ['View'] } } });
      const document = things('{ type: string }', '{ type: string }', []).replace(
        /Thing: \{.*/,
        `Thing: ${schema}`,
      );
      const row = { id: '1', p: 'x' };
      const { ask, gateway } = await serveDocument(document, { 'GET /things': [row], 'GET /things/1': row });
      expect(await ask('')).toStrictEqual([200, { value: [{ name, kind: 'EntitySet', url: name }] }]);
      expect(await ask(name)).toStrictEqual([200, { value: [{ Id: '1', P: 'x' }] }]);
      expect(await ask(`${name}('1')/P`)).toStrictEqual([200, { value: 'x' }]);
      expect(await ask('isPrototypeOf')).toMatchObject([404, {}]);
      const metadata = await fetch(`${gateway.url}/odata/$metadata?$format=json`);
      const members = Object.keys((await metadata.json()).Test.Container);
      expect(members.filter((member) => !/[@$]/.test(member))).toStrictEqual([name]);
    },
  );
});

describe('a parameter', () => {
  const count = (schema: string, required = false) => `
openapi: 3.1.0
info: { title: Trees, version: '1' }
paths:
  /count: { get: { operationId: count, parameters: [{ name: of, in: query, required: ${required}, schema: ${schema} }], responses: ${answer('{ type: integer }')} } }
components:
  schemas:
    Colour: { type: string, enum: [red, green], default: green }
    Node: { type: object, properties: { name: { type: string }, children: { type: array, items: ${reference('Node')} } } }
`;

  it('may be of a type that has lists of itself', async () => {
    const { ask } = await serveDocument(count(reference('Node')), { 'GET /count?name=a': 3 });
    expect(await ask('Count(Of=@n)?@n={"Name":"a"}')).toEqual([200, { value: 3 }]);
  });

  it.each([
    ['{"Name":"a","Size":7}', 200, 'GET /count?size=7&the-name=a'],
    ['{"Name":"a"}', 200, 'GET /count?the-name=a'],
    ['{"Size":7}', 400, undefined],
    ['{"Name":"a","Size":"large"}', 400, undefined],
  ])('of several members that has to be given may be %s: %i', async (json, status, sent) => {
    const properties = '{ the-name: { type: string, x-odata: { name: Name } }, size: { type: integer } }';
    const schema = `{ type: object, required: [the-name], properties: ${properties} }`;
    const answers = { 'GET /count?size=7&the-name=a': 1, 'GET /count?the-name=a': 1 };
    const { ask, lastSent } = await serveDocument(count(schema, true), answers);
    const [found] = await ask(`Count(Of=@o)?@o=${json}`);
    expect([found, lastSent()]).toEqual([status, sent]);
  });

  it.each([
    ['an integer', '{ type: integer, default: 7 }'],
    ['one of several values', reference('Colour')],
  ])('that is %s is not sent where it is left out: the upstream knows its default', async (_, schema) => {
    const { ask } = await serveDocument(count(schema), { 'GET /count': 3 });
    expect(await ask('Count()')).toEqual([200, { value: 3 }]);
  });
});
