import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atEndOfFile } from '../support/end-of-file.ts';
import { type StandInUpstream, startStandInUpstream } from '../support/stand-in-upstream.ts';
import {
  documentAt,
  postsProject,
  type RegistryGateway,
  serveRegistry,
  serveSharedRegistry,
} from './registry-gateway.ts';

let upstream: StandInUpstream;
let shared: RegistryGateway;
beforeAll(async () => {
  upstream = await startStandInUpstream((_, reply) => reply.send(200, 'type: string\n'));
  shared = await serveSharedRegistry(upstream.url);
});
afterAll(() => upstream.close());

const MEBIBYTE = 1024 * 1024;

function withSchemas(schemas: string): string {
  return `openapi: 3.1.0
info: { title: T, version: "1" }
servers: [{ url: "${upstream.url}" }]
paths:
  /things:
    get:
      operationId: things
      responses:
        "200": { description: All, content: { application/json: { schema: { $ref: "#/components/schemas/A" } } } }
components:
  schemas:
${schemas}`;
}

/** The first ones refer to a canary, which would appear in the output if it were read. */
const REFERENCES: readonly (readonly [string, (canary: string) => string])[] = [
  ['a file', (canary) => `    A: { $ref: "${canary}" }\n`],
  ['a file with a fragment', (canary) => `    A: { $ref: "${canary}#/type" }\n`],
  ['a file URL', (canary) => `    A: { $ref: "file://${canary}" }\n`],
  ['a file below', () => '    A: { $ref: "./canary.yaml" }\n'],
  ['a URL', () => `    A: { $ref: "${upstream.url}/a.yaml" }\n`],
  ['a URL without a scheme', () => `    A: { $ref: "${upstream.url.replace('http:', '')}/a.yaml" }\n`],
  ['a URL of a GraphQL schema', () => `    A: { $ref: "${upstream.url}/a.graphql" }\n`],
  [
    'a URL within a property',
    () => `    A: { type: object, properties: { a: { $ref: "${upstream.url}/a.json#/b" } } }\n`,
  ],
];

describe('a reference that leaves the document', () => {
  let gateway: RegistryGateway;
  let canary: string;
  beforeAll(async () => {
    const project = postsProject('http://127.0.0.1:9', atEndOfFile);
    canary = project.path('openapi/canary.yaml');
    writeFileSync(canary, 'type: CANARY\n');
    gateway = await serveRegistry(project, {}, atEndOfFile);
  });

  it.each(REFERENCES)('is refused and not read: %s', async (_, schemas) => {
    const document = withSchemas(schemas(canary));
    const checked = await gateway.ask('POST', '/$check', { document });
    const rules = checked.body.report.findings.map(({ severity, rule }) => `${severity} ${rule}`);
    expect([checked.status, ...new Set(rules)]).toStrictEqual([200, 'error external-reference']);
    const registered = await gateway.ask('POST', '', { name: 'Things', fileName: 't.yaml', document });
    expect([registered.status, registered.body.error.target]).toStrictEqual([400, 'document']);
    expect(registered.body.error.message).toContain('bundle');
    expect(registered.body.error.details?.[0]).toMatchObject({
      message: expect.stringContaining('is not read'),
    });
    expect(JSON.stringify([checked.body, registered.body])).not.toContain('CANARY');
    expect(upstream.requests).toHaveLength(0);
  });
});

describe('a reference that is circular', () => {
  it.each([
    ['to itself', '    A: { $ref: "#/components/schemas/A" }\n'],
    [
      'by way of another',
      '    A: { $ref: "#/components/schemas/B" }\n    B: { $ref: "#/components/schemas/A" }\n',
    ],
  ])('is refused: %s', async (_, schemas) => {
    const document = withSchemas(schemas);
    const { body } = await shared.ask('POST', '/$check', { document });
    expect(body.report.findings).toContainEqual({
      severity: 'error',
      rule: 'reference-cycle',
      message: 'The reference is circular and never leads to anything',
      line: 12,
      column: 8,
      pointer: '/components/schemas/A',
    });
    expect((await shared.ask('POST', '', { name: 'Things', fileName: 't', document })).status).toBe(400);
  });

  it('is none in a tree', async () => {
    const gateway = await serveRegistry(postsProject(upstream.url));
    const document = withSchemas(
      '    A: { type: object, properties: { inner: { type: array, items: { $ref: "#/components/schemas/A" } } } }\n',
    );
    const { status, body } = await gateway.ask('POST', '', { name: 'Things', fileName: 't', document });
    expect([status, body['errors']]).toStrictEqual([201, 0]);
  });
});

/** Texts that keep those busy who read them carelessly. */
const BOMBS: readonly (readonly [string, () => string, number])[] = [
  ['10,000 levels of JSON', () => `{"openapi":"3.1.0","x":${'['.repeat(10_000)}${']'.repeat(10_000)}}`, 400],
  ['10,000 levels of YAML', () => `openapi: 3.1.0\nx: ${'['.repeat(10_000)}${']'.repeat(10_000)}`, 400],
  ['lists in lists in one line', () => `openapi: 3.1.0\nx:\n${'- '.repeat(10_000)}a`, 400],
  [
    'aliases of aliases',
    () =>
      `openapi: 3.1.0\na0: &a0 [x, x]\n${Array.from({ length: 40 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]\n`).join('')}`,
    400,
  ],
  ['an alias of itself', () => 'openapi: 3.1.0\nx: &x { y: *x }\n', 400],
  ['five mebibytes and a byte', () => `openapi: 3.1.0\nx: ${'a'.repeat(5 * MEBIBYTE)}`, 413],
  ['fifty mebibytes', () => `openapi: 3.1.0\nx: ${'a'.repeat(50 * MEBIBYTE)}`, 413],
  ['five mebibytes of YAML that is none', () => `x: [${'{'.repeat(5 * MEBIBYTE - 1000)}`, 400],
];

describe('a document that is made to hurt', () => {
  it.each(BOMBS)('is refused: %s', async (_, make, status) => {
    const answer = await shared.ask('POST', '', { name: 'Things', fileName: 't.yaml', document: make() });
    expect([answer.status, (await shared.ask('GET')).body.apis.length]).toStrictEqual([status, 1]);
  });

  it('may have names that JavaScript has a meaning for, and markup: they are names and texts', async () => {
    const gateway = await serveRegistry(postsProject(upstream.url));
    const document = documentAt('Note', upstream.url)
      .replaceAll('schemas/Note', 'schemas/constructor')
      .replace(/^ {4}Note:/m, '    constructor:')
      .replace('title: Posts', 'title: <script>alert(1)</script>');
    const { status, headers, body } = await gateway.ask('POST', '', {
      name: '__proto__',
      fileName: 'n',
      document,
    });
    expect([status, headers.get('content-type'), body['title'], body['entitySets']]).toStrictEqual([
      201,
      'application/json; charset=utf-8',
      '<script>alert(1)</script>',
      ['Note'],
    ]);
    expect((await gateway.ask('POST', '/__proto__/add')).body['state']).toBe('live');
    expect(await gateway.entitySets()).toStrictEqual(['Post', 'Note']);
    expect((await gateway.ask('GET', '/constructor')).status).toBe(404);
    expect((await gateway.ask('GET', '/__proto__/toString')).status).toBe(404);
  });
});
