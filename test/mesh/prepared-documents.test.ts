import { type GraphQLNamedType, type GraphQLSchema, printType } from 'graphql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import type { GatewayMesh } from '../../src/mesh/mesh.ts';
import { sourceSchema } from '../../src/mesh/schema/load-schema.ts';
import type { WireObject } from '../../src/mesh/sending/call-arguments.ts';
import { namedOperations } from '../../src/model/derive/operations/operation-names.ts';
import { documentSource } from '../../src/openapi/document/document-source.ts';
import { type Behaviour, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { openDocument, requestsOf } from './document-scene.ts';
import { createGatewayMesh } from './gateway-mesh.ts';
import { callOperation, recordingLog } from './support.ts';

/** The mesh of a document with those paths and schemas, written in YAML. */
async function openMesh(paths: string, schemas = '{}', behaviour?: Behaviour): Promise<GatewayMesh> {
  const upstream = await startStandInUpstream(behaviour);
  const document = {
    openapi: '3.1.0',
    'x-odata': { strict: true },
    info: { title: 'Api', version: '1' },
    'x-pages': { $ref: './docs/getting-started.md' },
    paths: parse(paths),
    components: { schemas: parse(schemas) },
  };
  const mesh = await createGatewayMesh({
    project: {
      directory: '/',
      sources: [{ name: 'Api', document: '', endpoint: upstream.url, operationHeaders: {} }],
    },
    documents: new Map([['Api', document]]),
    log: recordingLog([]),
  });
  onTestFinished(async () => {
    await mesh.destroy();
    await upstream.close();
  });
  return mesh;
}

function findings({ report }: GatewayMesh): readonly string[] {
  return report.map(({ severity, pointer, message }) => `${severity} ${pointer} ${message}`);
}

function answer(schema: string): string {
  return `{ '200': { description: x, content: { application/json: { schema: ${schema} } } } }`;
}

const THING = `{ $ref: '#/components/schemas/Thing' }`;

/** Reads and writes a thing; the body and the answer are of one schema. */
const THINGS = `
/thing:
  get: { operationId: thing, responses: ${answer(THING)} }
  put: { operationId: putThing, requestBody: { content: { application/json: { schema: ${THING} } } }, responses: ${answer(THING)} }`;

const INNER = `
Inner: { type: object, description: An inner one., properties: { a: { type: string } } }
Nullable: { type: [string, 'null'] }
Colour: { type: string, enum: [red, green] }
Round: { $ref: '#/components/schemas/About' }
About: { $ref: '#/components/schemas/Round' }`;

function typeText(schema: GraphQLSchema, name: string): string {
  const type: GraphQLNamedType | undefined = schema.getType(name);
  return type === undefined ? '' : printType(type);
}

/** The lines between the braces of a type. */
function fieldsOf(schema: GraphQLSchema, name: string): readonly string[] {
  const text = typeText(schema, name).replaceAll(/"""[^"]*"""\s*/g, '');
  return text
    .slice(text.indexOf('{') + 1, -1)
    .trim()
    .split(/\s*\n\s*/);
}

/** The schema of the required property `p`, and its field. */
const PROPERTIES: readonly (readonly [schema: string, field: string])[] = [
  ['{ type: string }', 'String!'],
  ['{ type: [string, "null"] }', 'String'],
  ['{ type: string, nullable: true }', 'String'],
  ['{ type: string, nullable: false }', 'String!'],
  ['{ type: [array, "null"], items: { type: integer } }', '[BigInt]'],
  ['{ anyOf: [{ type: string }, { type: "null" }] }', 'String'],
  ['{ oneOf: [{ $ref: "#/components/schemas/Inner" }, { type: "null" }] }', 'Inner'],
  ['{ $ref: "#/components/schemas/Nullable" }', 'String'],
  ['{ $ref: "#/components/schemas/Inner" }', 'Inner!'],
  ['{ allOf: [{ $ref: "#/components/schemas/Inner" }] }', 'Inner!'],
  ['{ allOf: [{ $ref: "#/components/schemas/Inner" }], nullable: true }', 'Inner'],
  ['{ $ref: "#/components/schemas/Inner", nullable: true }', 'Inner'],
  ['{ $ref: "#/components/schemas/Colour" }', 'Colour!'],
  ['{ type: string, enum: [a, null], nullable: true }', 'Thing_p'],
  ['{ type: string, enum: ["a-b", a_b] }', 'String!'],
  ['{ type: string, const: x }', 'String!'],
  ['{ type: integer }', 'BigInt!'],
  ['{ type: integer, maximum: 100 }', 'Int!'],
  ['{ type: integer, format: int32 }', 'Int!'],
  ['{ type: integer, format: int64 }', 'BigInt!'],
  ['{ type: integer, format: uint32 }', 'BigInt!'],
  ['{ type: string, format: int64 }', 'String!'],
  ['{ type: string, format: email, minLength: 1, pattern: "(a+)+$" }', 'String!'],
  ['{ type: string, format: date-time }', 'DateTime!'],
  ['{ type: [string, integer] }', 'JSON'],
  ['{ type: [number, integer] }', 'Float!'],
  ['{ oneOf: [{ type: string, format: date }, { type: string }] }', 'String!'],
  ['{ anyOf: [{ type: string }, { type: object }] }', 'JSON'],
  ['{}', 'JSON'],
  ['true', 'JSON'],
  ['{ type: object, additionalProperties: { type: string } }', 'JSON'],
  ['{ type: array }', '[JSON]!'],
  ['{ type: array, prefixItems: [{ type: string }], items: false }', '[JSON]!'],
  ['{ type: array, items: { $ref: "#/components/schemas/Thing" } }', '[Thing]!'],
];

describe('a property that is required', () => {
  it.each(PROPERTIES)('of %s is %s', async (schema, field) => {
    const { schema: mesh } = await openMesh(
      THINGS,
      `Thing: { type: object, required: [p], properties: { p: ${schema} } }${INNER}`,
    );
    expect(fieldsOf(mesh, 'Thing')).toEqual([`p: ${field}`]);
  });
});

/** Properties of a thing, and what is said of those that have no field. */
const LEFT_OUT: readonly (readonly [properties: string, fields: readonly string[], finding: RegExp])[] = [
  [
    '{ a: { $ref: "other.yaml#/A" }, b: {} }',
    ['b: JSON'],
    /properties\/a The reference .* leaves the document/,
  ],
  ['{ a: { $ref: "https://x.example/a" }, b: {} }', ['b: JSON'], /properties\/a .* leaves the document/],
  ['{ a: { $ref: "#/components/schemas/None" }, b: {} }', ['b: JSON'], /properties\/a .* leads to nothing/],
  ['{ a: { $ref: "#/components/schemas/Round" }, b: {} }', ['b: JSON'], /Round.* is circular/],
  ['{ a: { type: array, items: { $ref: "x.yaml" } }, b: {} }', ['b: JSON'], /leaves the document/],
];

describe('a property that cannot be had', () => {
  it.each(LEFT_OUT)('of %s is left out and reported', async (properties, fields, finding) => {
    const mesh = await openMesh(
      THINGS,
      `Thing: { type: object, required: [a], properties: ${properties} }${INNER}`,
    );
    expect(fieldsOf(mesh.schema, 'Thing')).toEqual(fields);
    expect(findings(mesh).join('\n')).toMatch(finding);
  });
});

describe('a property that Mesh has no name for', () => {
  it.each([
    ['{ a: { type: string }, __proto__: { type: string } }', ['a: String!']],
    ['{ a: { type: string }, additionalProperties: { type: string } }', ['a: String!']],
    ['{ first-name: {}, first_name: {} }', ['first_name: JSON']],
  ])('of %s has no field, which nobody is told of: rows have it', async (properties, fields) => {
    const mesh = await openMesh(
      THINGS,
      `Thing: { type: object, required: [a], properties: ${properties} }${INNER}`,
    );
    expect(fieldsOf(mesh.schema, 'Thing')).toEqual(fields);
    expect(findings(mesh).join('\n')).not.toContain('/Thing/');
  });
});

describe('a type', () => {
  it('has properties by every name that an object can have', async () => {
    const names = ['constructor', 'toString', '$x', '1st', 'odata.etag', 'über'];
    const things = Object.fromEntries(names.map((name, index) => [name, `value ${index}`]));
    const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
    const mesh = await openMesh(
      THINGS,
      `Thing: ${JSON.stringify({ type: 'object', required: names, properties })}`,
      (_, reply) => reply.json(things),
    );
    expect(await callOperation(mesh, 'thing')).toEqual(things);
    const fields = ['constructor', 'toString', '_DOLLAR_x', '_1st', 'odata_etag', '_252_ber'];
    expect(fieldsOf(mesh.schema, 'Thing')).toEqual(fields.map((field) => `${field}: String!`));
  });

  it('shows nothing that is written only', async () => {
    const { schema } = await openMesh(
      THINGS,
      `Thing:
  type: object
  required: [id, name, password, inner]
  properties:
    id: { type: integer, readOnly: true }
    name: { type: string }
    password: { type: string, writeOnly: true }
    inner: { $ref: '#/components/schemas/Part' }
Part: { type: object, properties: { at: { type: string, readOnly: true }, thing: ${THING} } }`,
    );
    expect(fieldsOf(schema, 'Thing')).toEqual(['id: BigInt!', 'name: String!', 'inner: Part!']);
  });

  it('merges what it is all of, also of itself', async () => {
    const { schema } = await openMesh(
      THINGS,
      `Thing: { description: A thing., allOf: [{ $ref: '#/components/schemas/Base' }, { type: object, required: [b], properties: { b: { type: string }, parent: ${THING} } }] }
Base: { type: object, required: [id], properties: { id: { type: integer } } }`,
    );
    expect(fieldsOf(schema, 'Thing')).toEqual(['b: String!', 'parent: Thing', 'id: BigInt!']);
  });

  it('may have itself for a property, with other words beside', async () => {
    const { schema } = await openMesh(
      THINGS,
      `Thing: { type: object, properties: {
  next: { allOf: [${THING}, { description: The next. }] },
  last: { allOf: [${THING}, { properties: { end: { type: boolean } } }] } } }`,
    );
    expect(fieldsOf(schema, 'Thing')).toEqual(['next: Thing', 'last: Thing_last']);
    expect(fieldsOf(schema, 'Thing_last')).toEqual(['end: Boolean', 'next: Thing', 'last: Thing_last']);
  });

  it('may be part of itself by a reference into it', async () => {
    const { schema } = await openMesh(
      THINGS,
      `Thing: { type: object, properties: { inner: { type: object, properties: { a: { type: string }, again: { allOf: [{ $ref: '#/components/schemas/Thing/properties/inner' }, { properties: { b: {} } }] } } } } }`,
    );
    expect(fieldsOf(schema, 'Thing')).toEqual(['inner: Thing_inner']);
    expect(fieldsOf(schema, 'Thing_inner_again')).toEqual([
      'b: JSON',
      'a: String',
      'again: Thing_inner_again',
    ]);
  });

  it.each([
    ['#tag', 'Tag: { $anchor: tag, type: object, properties: { a: { type: string } } }'],
    [
      'https://x.example/tag',
      'Tag: { $id: "https://x.example/tag", type: object, properties: { a: { type: string } } }',
    ],
    [
      'https://x.example/tag#inner',
      'Tag: { $id: "https://x.example/tag", $defs: { Other: { $anchor: inner, properties: { a: { $ref: "#/$defs/Text" } } }, Text: { type: string } } }',
    ],
    [
      '#/components/schemas/Tag/$defs/Other',
      'Tag: { $defs: { Other: { properties: { a: { type: string } } } } }',
    ],
  ])('is found by %s within the document', async (reference, tag) => {
    const { schema } = await openMesh(
      `/a: { get: { operationId: a, responses: ${answer(`{ $ref: "${reference}" }`)} } }`,
      tag,
    );
    const [, type = ''] = /^a: (\w+)$/.exec(fieldsOf(schema, 'Query')[0] ?? '') ?? [];
    expect(fieldsOf(schema, type)).toEqual(['a: String']);
  });

  it.each(['Query', 'Mutation', 'Any', 'String', 'DateTime', '_schema', 'JSON'])(
    'may be called %s',
    async (name) => {
      const { schema } = await openMesh(
        `/a: { get: { operationId: a, responses: ${answer(`{ $ref: '#/components/schemas/${name}' }`)} } }`,
        `${name}: { type: object, properties: { p: { type: string }, at: { type: string, format: date-time } } }`,
      );
      expect(fieldsOf(schema, 'Query')).toEqual([`a: ${name}_`]);
      expect(fieldsOf(schema, `${name}_`)).toEqual(['p: String', 'at: DateTime']);
    },
  );
});

describe('an operation', () => {
  const get = (id: string) => `{ get: { ${id}responses: ${answer('{ type: string }')} } }`;

  it('has its own id, or a name that no other has', async () => {
    const mesh = await openMesh(`
/posts: ${get('')}
/posts/{id}: ${get('')}
/a: ${get('operationId: twice, ')}
/b: ${get('operationId: twice, ')}
/c: ${get('operationId: get the c, ')}
/d: ${get('operationId: get-the-c, ')}
/e: ${get('operationId: posts_by_id, ')}`);
    expect(fieldsOf(mesh.schema, 'Query')).toEqual([
      'posts: String',
      'Api_posts_by_id(id: String!): String',
      'twice: String',
      'b: String',
      'get_the_c: String',
      'd: String',
      'posts_by_id: String',
    ]);
    expect(findings(mesh)).toEqual([
      'warning /paths/~1posts~1{id}/get The operation is named Api_posts_by_id in GraphQL: "posts_by_id" also names GET /e',
      'warning /paths/~1b/get The operation is named b in GraphQL: "twice" also names GET /a',
      'warning /paths/~1d/get The operation is named d in GraphQL: "get-the-c" also names GET /c',
    ]);
  });

  it.each<readonly [parameters: string, args: WireObject, target: string]>([
    [
      '{ name: ids, in: query, schema: { type: array, items: { type: integer } } }',
      { ids: ['1', '2'] },
      '?ids=1&ids=2',
    ],
    [
      '{ name: ids, in: query, explode: false, schema: { type: array, items: { type: integer } } }',
      { ids: ['1', '2'] },
      '?ids=1,2',
    ],
    [
      '{ name: "page[size]", in: query, schema: { type: integer } }',
      { page_LEFT_SQUARE_BRACE_size_RIGHT_SQUARE_BRACE_: '5' },
      '?page%5Bsize%5D=5',
    ],
    [
      '{ name: page, in: query, style: deepObject, schema: { type: object, properties: { size: { type: integer } } } }',
      { page: { size: '5' } },
      '?page%5Bsize%5D=5',
    ],
    [
      '{ name: q, in: query, schema: { type: [string, "null"] } }, { name: session, in: cookie }',
      { q: 'a&b' },
      '?q=a%26b',
    ],
  ])('sends %s', async (parameters, args, target) => {
    const targets: string[] = [];
    const mesh = await openMesh(
      `/a: { get: { operationId: a, parameters: [${parameters}], responses: ${answer('{ type: string }')} } }`,
      '{}',
      (request, reply) => {
        targets.push(request.target);
        reply.json('x');
      },
    );
    expect(await callOperation(mesh, 'a', args)).toBe('x');
    expect(targets).toEqual([`/a${target}`]);
  });

  it('sends the default of a parameter that it demands', async () => {
    const parameter = '{ name: limit, in: query, required: true, schema: { type: integer, default: 7 } }';
    const paths = `/a: { get: { operationId: a, parameters: [${parameter}], responses: ${answer('{ type: string }')} } }`;
    const scene = await openDocument(paths, '', (_, reply) => reply.json('x'));
    expect((await scene.call('A')).data).toBe('x');
    expect(requestsOf(scene)).toEqual(['GET /a?limit=7']);
  });

  it.each<readonly [operation: string, finding: RegExp]>([
    [
      'parameters: [{ name: f, in: query, required: true, content: { application/json: {} } }]',
      /is a separate document/,
    ],
    ['parameters: [{ name: s, in: cookie, required: true }]', /sends no parameters in a "cookie"/],
    [
      'parameters: [{ name: s, in: query, required: true, style: pipeDelimited }]',
      /the style "pipeDelimited"/,
    ],
    [
      'parameters: [{ name: a-b, in: query }, { name: a_b, in: header, required: true }]',
      /GraphQL cannot tell/,
    ],
  ])('that needs %s is left out and reported', async (operation, finding) => {
    const responses = answer('{ type: string }');
    const mesh = await openMesh(
      `/a: { get: { operationId: a, ${operation}, responses: ${responses} } }\n/b: ${get('operationId: b, ')}`,
    );
    expect(fieldsOf(mesh.schema, 'Query')).toEqual(['b: String']);
    expect(findings(mesh).join('\n')).toMatch(finding);
  });

  it('of a path with a fragment is sent without it', async () => {
    const targets: string[] = [];
    const share = '{ name: id, in: path, required: true, schema: { type: string } }, { name: q, in: query }';
    const mesh = await openMesh(
      `/files/{id}: ${get('operationId: file, ')}
/files/{id}#share: { get: { operationId: share, parameters: [${share}], responses: ${answer('{ type: string }')} } }`,
      '{}',
      ({ target }, reply) => {
        targets.push(target);
        reply.json('x');
      },
    );
    await callOperation(mesh, 'file', { id: 'a#b' });
    await callOperation(mesh, 'share', { id: 'c', q: '#' });
    expect(targets).toEqual(['/files/a%23b', '/files/c?q=%23']);
  });

  it('that Mesh fails on takes none of the others down', async () => {
    const paths = Object.fromEntries(
      ['a', 'bad', 'b'].map((id) => [`/${id}`, parse(get(`operationId: ${id}, `))]),
    );
    const source = documentSource('Api', { openapi: '3.1.0', paths });
    const operations = namedOperations([source]).get(source) ?? [];
    const { schema, leftOut } = await sourceSchema(source, operations, async ({ document }) => {
      if (document.paths['/bad'] !== undefined) throw new Error('no');
      return { texts: Object.keys(document.paths), families: [] };
    });
    expect(schema?.texts).toEqual(['/a', '/b']);
    expect(leftOut.map(({ id }) => id)).toEqual(['bad']);
    expect(source.findings().map(({ message }) => message)).toEqual([
      'The operation is left out: GraphQL Mesh fails on it (no)',
    ]);
  });
});
