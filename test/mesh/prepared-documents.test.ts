import { type GraphQLNamedType, printType } from 'graphql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { namedOperations } from '../../src/derive/samples/operation-names.ts';
import type { GatewayMesh } from '../../src/mesh/mesh.ts';
import { sourceSchema } from '../../src/mesh/schema/load-schema.ts';
import { documentSource } from '../../src/openapi/document/document-source.ts';
import type { WireObject } from '../../src/upstream/sending/call-arguments.ts';
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

const INNER = `
Inner: { type: object, required: [a], properties: { a: { type: string }, more: { type: array, items: { $ref: '#/components/schemas/Inner' } } } }
Nullable: { type: [string, 'null'] }
Colour: { type: string, enum: [red, green] }
Round: { $ref: '#/components/schemas/About' }
About: { $ref: '#/components/schemas/Round' }`;

/** The mesh of an operation with one parameter, which has to be given. */
async function openWithParameter(schema: string, others = ''): Promise<GatewayMesh> {
  const parameter = `{ name: p, in: query, required: true, schema: ${schema} }`;
  const paths = `/a: { get: { operationId: a, parameters: [${parameter}], responses: ${answer('{ type: string }')} } }`;
  return openMesh(paths, `${others}${INNER}`);
}

/** The lines between the braces of a type. */
function fieldsOf({ schemas: [schema] }: GatewayMesh, name: string): readonly string[] {
  const type: GraphQLNamedType | undefined = schema?.getType(name);
  const text = type === undefined ? '' : printType(type).replaceAll(/"""[^"]*"""\s*/g, '');
  return text
    .slice(text.indexOf('{') + 1, -1)
    .trim()
    .split(/\s*\n\s*/);
}

/** The schema of a parameter, and its type in GraphQL. */
const PARAMETERS: readonly (readonly [schema: string, type: string])[] = [
  ['{ type: string }', 'String!'],
  ['{ type: [string, "null"] }', 'String!'],
  ['{ type: [array, "null"], items: { type: integer } }', '[BigInt]!'],
  ['{ oneOf: [{ $ref: "#/components/schemas/Inner" }, { type: "null" }] }', 'a_p_Input!'],
  ['{ $ref: "#/components/schemas/Nullable" }', 'String!'],
  ['{ $ref: "#/components/schemas/Inner" }', 'a_p_Input!'],
  ['{ allOf: [{ $ref: "#/components/schemas/Inner" }] }', 'a_p_Input!'],
  ['{ $ref: "#/components/schemas/Colour" }', 'Colour!'],
  ['{ type: string, enum: [a, null], nullable: true }', 'a_p!'],
  ['{ type: string, enum: ["a-b", a_b] }', 'String!'],
  ['{ type: string, const: x }', 'String = "x"'],
  ['{ type: integer }', 'BigInt!'],
  ['{ type: integer, maximum: 100 }', 'Int!'],
  ['{ type: integer, format: int32 }', 'Int!'],
  ['{ type: integer, format: uint32 }', 'BigInt!'],
  ['{ type: string, format: int64 }', 'String!'],
  ['{ type: string, format: email, minLength: 1, pattern: "(a+)+$" }', 'String!'],
  ['{ type: string, format: date-time }', 'DateTime!'],
  ['{ type: [string, integer] }', 'JSON!'],
  ['{ type: [number, integer] }', 'Float!'],
  ['{ oneOf: [{ type: string, format: date }, { type: string }] }', 'String!'],
  ['{ anyOf: [{ type: string }, { type: object }] }', 'JSON!'],
  ['{}', 'JSON!'],
  ['true', 'JSON!'],
  ['{ type: object, additionalProperties: { type: string } }', 'JSON!'],
  ['{ type: array }', '[JSON]!'],
  ['{ type: array, prefixItems: [{ type: string }], items: false }', '[JSON]!'],
];

describe('a parameter', () => {
  it.each(PARAMETERS)('of %s is %s', async (schema, type) => {
    const mesh = await openWithParameter(schema);
    expect(fieldsOf(mesh, 'Query')).toEqual([`a(p: ${type}): String`]);
  });

  it('is an object whose own objects have any values, also of the same type', async () => {
    const mesh = await openWithParameter(`{ $ref: '#/components/schemas/Inner' }`);
    expect(fieldsOf(mesh, 'a_p_Input')).toEqual(['a: String!', 'more: [JSON]']);
  });

  it('is an object without properties that Mesh has no name for', async () => {
    const properties = '{ a: {}, __proto__: {}, additionalProperties: {}, first-name: {}, first_name: {} }';
    const mesh = await openWithParameter(`{ type: object, properties: ${properties} }`);
    expect(fieldsOf(mesh, 'a_p_Input')).toEqual(['a: JSON', 'first_name: JSON']);
  });

  it.each(['Query', 'Mutation', 'Any', 'String', 'DateTime', '_schema', 'JSON'])(
    'may be of a type that is called %s',
    async (name) => {
      const colours = `${name}: { type: string, enum: [red, green] }\n`;
      const mesh = await openWithParameter(`{ $ref: '#/components/schemas/${name}' }`, colours);
      expect(fieldsOf(mesh, 'Query')).toEqual([`a(p: ${name}_!): String`]);
      expect(fieldsOf(mesh, `${name}_`)).toEqual(['red', 'green']);
    },
  );
});

/** The schema of an answer, and its type in GraphQL. */
const ANSWERS: readonly (readonly [schema: string, type: string])[] = [
  ['{ type: string, enum: [a, b] }', 'String'],
  ['{ type: integer }', 'BigInt'],
  ['{ $ref: "#/components/schemas/Inner" }', 'AnyObject'],
  ['{ oneOf: [{ $ref: "#/components/schemas/Inner" }, { properties: { b: {} } }] }', 'AnyObject'],
  ['{ oneOf: [{ $ref: "#/components/schemas/Inner" }, { type: string }] }', 'JSON'],
  ['{ type: object }', 'JSON'],
  ['{ type: array, items: { $ref: "#/components/schemas/Inner" } }', '[AnyObject]'],
];

describe('an answer', () => {
  it.each(ANSWERS)('of %s is %s', async (schema, type) => {
    const mesh = await openMesh(`/a: { get: { operationId: a, responses: ${answer(schema)} } }`, INNER);
    expect(fieldsOf(mesh, 'Query')).toEqual([`a: ${type}`]);
  });

  it.each([
    ['{ $ref: "other.yaml#/A" }', /leaves the document/],
    ['{ $ref: "https://x.example/a" }', /leaves the document/],
    ['{ $ref: "#/components/schemas/None" }', /leads to nothing/],
    ['{ $ref: "#/components/schemas/Round" }', /is circular/],
    ['{ type: array, items: { $ref: "x.yaml" } }', /leaves the document/],
  ])('of %s that cannot be had is of any type, and is reported', async (schema, finding) => {
    const mesh = await openMesh(`/a: { get: { operationId: a, responses: ${answer(schema)} } }`, INNER);
    expect(fieldsOf(mesh, 'Query')).toEqual(['a: JSON']);
    expect(findings(mesh).join('\n')).toMatch(finding);
  });
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
    expect(fieldsOf(mesh, 'Query')).toEqual([
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
      'parameters: [{ name: s, in: header, required: true, style: pipeDelimited }]',
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
    expect(fieldsOf(mesh, 'Query')).toEqual(['b: String']);
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
    const { schema, leftOut } = await sourceSchema(source, operations, async ({ paths }) => {
      if (paths['/bad'] !== undefined) throw new Error('no');
      return Object.keys(paths);
    });
    expect(schema).toEqual(['/a', '/b']);
    expect(leftOut.map(({ id }) => id)).toEqual(['bad']);
    expect(source.findings().map(({ message }) => message)).toEqual([
      'The operation is left out: GraphQL Mesh fails on it (no)',
    ]);
  });
});
