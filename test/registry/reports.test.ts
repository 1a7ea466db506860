import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StandInUpstream, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { documentOf } from '../support/temporary-project.ts';
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
  upstream = await startStandInUpstream((_, reply) => reply.json([]));
  shared = await serveSharedRegistry(upstream.url);
});
afterAll(() => upstream.close());

const BETTER = 'Provide the OpenAPI 3.1 (or 3.0) description of the API, in YAML or JSON.';
const MEND = 'Correct the file and try again.';

/** Description, text, and the expected kind, message and position. */
const NO_DOCUMENTS: readonly (readonly [string, string, string, string | RegExp, number?, number?])[] = [
  ['an empty file', ' \n', 'not-openapi', `The file is empty. ${BETTER}`],
  ['a text', 'Hello, world', 'not-openapi', `It is not an OpenAPI document: it holds no object. ${BETTER}`],
  [
    'another format',
    'asyncapi: 3.0.0',
    'not-openapi',
    `It is not an OpenAPI document: it has no \`openapi\` version. ${BETTER}`,
  ],
  [
    'a number for a version',
    'openapi: 3.1',
    'not-openapi',
    `Its \`openapi\` version must be a string in quotation marks, such as "3.1.0", not 3.1. ${BETTER}`,
  ],
  [
    'another version',
    'openapi: 4.0.0',
    'not-openapi',
    `Its \`openapi\` version must be 3.1 (or 3.0), not "4.0.0". ${BETTER}`,
  ],
  [
    'Swagger 1',
    'swagger: "1.2"',
    'not-openapi',
    `Its \`swagger\` version must be the string "2.0", not "1.2". ${BETTER}`,
  ],
  [
    'broken YAML',
    'openapi: 3.1.0\ninfo: {title: x\npaths: }',
    'unreadable',
    new RegExp(`^It is neither YAML nor JSON: .* at line 3, column \\d+\\. ${MEND}$`),
    3,
  ],
  [
    'a name that stands twice',
    'openapi: 3.1.0\ninfo: {}\ninfo: {}\n',
    'unreadable',
    `"info" appears twice in one object, again at line 3, column 1. ${MEND}`,
    3,
    1,
  ],
  ['broken JSON', '{"openapi": "3.1.0",', 'unreadable', /^It is neither YAML nor JSON: /, 1],
];

describe('a file that is no OpenAPI document', () => {
  const cases = NO_DOCUMENTS.map(([name, document, kind, text, line = 0, column]) => ({
    name,
    document,
    kind,
    text,
    line,
    column,
  }));

  it.each(cases)(
    'is told what it is, and what to do: $name',
    async ({ document, kind, text, line, column }) => {
      const { status, body } = await shared.ask('POST', '/$check', { document });
      const summary = typeof text === 'string' ? text : expect.stringMatching(text);
      expect([status, body]).toStrictEqual([
        200,
        {
          report: {
            kind,
            summary,
            findings: [
              {
                severity: 'error',
                rule: kind,
                message: expect.any(String),
                line,
                column: column ?? expect.any(Number),
                pointer: '',
              },
            ],
          },
          model: {
            entitySets: [],
            singletons: [],
            functions: [],
            actions: [],
            leftOut: [],
            lists: { lists: 0, tables: 0, reasons: [] },
          },
        },
      ]);
      const registered = await shared.ask('POST', '', { name: 'Notes', fileName: 'x.yaml', document });
      expect(registered.status).toBe(400);
      if (document.trim() !== '') {
        expect(registered.body.error).toStrictEqual({
          code: 'BadRequest',
          message: summary,
          target: 'document',
        });
      }
      expect((await shared.ask('GET')).body.apis).toHaveLength(1);
    },
  );
});

describe('the report', () => {
  const document = `openapi: 3.1.0
info:
  title: Notes
  version: "1"
  licence: MIT
paths:
  /notes:
    get:
      operationId: notes
      responses:
        "200":
          description: Some
          content:
            application/json:
              schema: { type: array, items: { $ref: "#/components/schemas/Nobody" } }
  /notes/:
    get:
      responses: { "200": { description: Some } }
`;

  it('has errors first, with line, column and pointer', async () => {
    const { report } = (await shared.ask('POST', '/$check', { document })).body;
    expect(report).toStrictEqual({
      kind: 'openapi-3.1',
      summary:
        'There is 1 schema validation error. The part of the document that it concerns cannot be served.',
      findings: [
        {
          severity: 'error',
          rule: 'no-unresolved-refs',
          message: 'The reference leads to nothing',
          line: 15,
          column: 45,
          pointer: '/paths/~1notes/get/responses/200/content/application~1json/schema/items',
        },
        {
          severity: 'info',
          rule: 'no-path-trailing-slash',
          message: '`/notes/` should not have a trailing slash.',
          line: 16,
          column: 3,
          pointer: '/paths/~1notes~1',
        },
        {
          severity: 'info',
          rule: 'struct',
          message: 'Property `licence` is not expected here.',
          line: 5,
          column: 3,
          pointer: '/info/licence',
        },
        {
          severity: 'info',
          rule: 'operation-operationId',
          message: 'Operation object should contain `operationId` field.',
          line: 17,
          column: 5,
          pointer: '/paths/~1notes~1/get/operationId',
        },
      ],
    });
  });

  it('is kept with the API, and counted', async () => {
    const gateway = await serveRegistry(postsProject(upstream.url));
    const serviceUrl = upstream.url;
    const { status, body } = await gateway.ask('POST', '', {
      name: 'Notes',
      fileName: 'n.yaml',
      document,
      serviceUrl,
    });
    expect([status, body['errors'], body['warnings'], body['operations']]).toStrictEqual([201, 1, 0, 2]);
  });

  it('says what is left out of the service, and why', async () => {
    const { body } = await shared.ask('POST', '/$check', { document });
    expect(body['model']).toMatchObject({
      entitySets: [],
      leftOut: expect.arrayContaining([
        {
          severity: 'error',
          pointer: '/paths/~1notes/get/responses/200/content/application~1json/schema/items',
          message: 'The reference "#/components/schemas/Nobody" leads to nothing',
        },
      ]),
    });
  });

  it('says that there is no service URL', async () => {
    const gateway = await serveRegistry(postsProject(upstream.url));
    const withoutServer = documentAt('Note', upstream.url).replace(/^servers:\n(?: .*\n)+/m, '');
    const { body } = await gateway.ask('POST', '', {
      name: 'Notes',
      fileName: 'n.yaml',
      document: withoutServer,
    });
    expect([body['serviceUrl'], body.report]).toStrictEqual([
      '',
      {
        kind: 'openapi-3.1',
        summary:
          'There are no schema validation errors. It cannot be called as it is: ' +
          'There is no service URL: the document names no server and none was given.',
        findings: [
          {
            severity: 'error',
            rule: 'service-url',
            message: 'There is no service URL: the document names no server and none was given',
            line: 0,
            column: 0,
            pointer: '/servers',
          },
        ],
      },
    ]);
  });
});

it('the list of APIs has more documents than may wait for their examination at once', async () => {
  const project = postsProject('http://127.0.0.1:9');
  const names = Array.from({ length: 40 }, (_, index) => `Kind${index}`);
  for (const name of names) project.write(`openapi/${name}.yaml`, documentOf(name));
  const { ask } = await serveRegistry(project);
  const { status, body } = await ask('GET');
  expect([status, body.apis.length]).toEqual([200, names.length + 1]);
});
