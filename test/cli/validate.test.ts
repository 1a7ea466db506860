import { describe, expect, it } from 'vitest';
import { runCommand } from '../../src/cli/run-command.ts';
import { outcome, temporaryFile } from './command.ts';

const GOOD = 'openapi: 3.1.0\ninfo: { title: T, version: "1" }\npaths: {}\n';

describe('duogate validate', () => {
  it('says that there are no errors', async () => {
    expect(await outcome(['validate', 'openapi/posts.yaml'])).toStrictEqual({
      code: 0,
      stdout: 'openapi/posts.yaml: There are no schema validation errors.\n\nTables: 1 of 1 list\n',
      stderr: '',
    });
  });

  it('says what is wrong and where, and what is left out', async () => {
    const file = await temporaryFile('api.yaml', GOOD.replace('title: T', 'title: T, owner: me'));
    expect(await outcome(['validate', file])).toStrictEqual({
      code: 0,
      stdout: `api.yaml: There are no schema validation errors.

Left out or limited: 1

  Nothing in the document can be served
    the document

Notes: 1

  Property \`owner\` is not expected here. (struct)
    line 2, column 19  /info/owner
`,
      stderr: '',
    });
  });

  it('begins with what costs most: operations before their parameters, what stands at many places before others', async () => {
    const upload = (id: string) =>
      `{ post: { operationId: ${id}, requestBody: { content: { application/xml: { schema: { type: object } } } }, responses: { 200: { description: x } } } }`;
    const file = await temporaryFile(
      'api.yaml',
      `openapi: 3.1.0
info: { title: T, version: "1" }
paths:
  /a: { get: { operationId: a, parameters: [{ name: s, in: cookie, schema: { type: string } }], responses: { 200: { description: x } } } }
  /b: ${upload('b')}
  /c: ${upload('c')}
`,
    );
    const { stdout } = await outcome(['validate', file]);
    const [, leftOut = ''] = stdout.split('Left out or limited: 5\n\n');
    const [parts = ''] = leftOut.split('\n\nNotes');
    expect(parts.trimEnd().split('\n\n')).toStrictEqual([
      '  Nothing in the document can be served\n    the document',
      '  The operation is left out: it takes application/xml, neither JSON nor a form\n    /paths/~1b/post  and 1 other place',
      '  The operation is left out: the document does not say what it answers with\n    /paths/~1a/get',
      '  The parameter is left out: the gateway sends no parameters in a "cookie"\n    /paths/~1a/get/parameters/0',
    ]);
  });

  it('tells what it is doing where somebody watches, and takes that away before it reports', async () => {
    const file = await temporaryFile('api.yaml', GOOD);
    const reported: string[] = [];
    await runCommand(['validate', file], {
      write: () => reported.push('report'),
      progress: (step) => reported.push(step?.replace(file, 'api.yaml') ?? 'nothing'),
      environment: {},
      readInput: async () => '',
      isColoured: false,
      directory: process.cwd(),
      serve: async () => '',
    });
    expect(reported).toStrictEqual([
      'Reading api.yaml',
      'Checking api.yaml',
      'Deriving the tables of api.yaml',
      'nothing',
      'report',
      'nothing',
    ]);
  });

  it('prints the same report as JSON, of several files', async () => {
    const files = [await temporaryFile('good.yaml', GOOD), await temporaryFile('old.yaml', 'swagger: "1.2"')];
    const { code, stdout } = await outcome(['validate', ...files, '--json']);
    expect([code, JSON.parse(stdout)]).toStrictEqual([
      1,
      [
        {
          file: 'good.yaml',
          report: { kind: 'openapi-3.1', summary: 'There are no schema validation errors.', findings: [] },
          model: {
            entitySets: [],
            singletons: [],
            functions: [],
            actions: [],
            leftOut: [{ severity: 'warning', pointer: '', message: 'Nothing in the document can be served' }],
            lists: { lists: 0, tables: 0, reasons: [] },
          },
        },
        {
          file: 'old.yaml',
          report: {
            kind: 'not-openapi',
            summary: expect.stringContaining('Its `swagger` version must be the string "2.0"'),
            findings: [expect.objectContaining({ severity: 'error', rule: 'not-openapi' })],
          },
        },
      ],
    ]);
  });

  it('says that a file cannot be read', async () => {
    const { code, stdout } = await outcome(['validate', '/nowhere.yaml']);
    expect([code, stdout]).toStrictEqual([
      1,
      expect.stringMatching(/^\/nowhere\.yaml: The file cannot be read: there is no file of that name\./),
    ]);
  });

  it.each([[['validate']], [['validate', '--xml', 'x']]])('does not understand %j', async (args) => {
    expect((await outcome(args)).code).toBe(2);
  });
});

const LISTS = `openapi: 3.1.0
info: { title: Shop, version: "1" }
paths:
  /orders:
    get: { operationId: orders, responses: { 200: { description: x, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Order' } } } } } } }
  /orders/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get: { operationId: order, responses: { 200: { description: x, content: { application/json: { schema: { $ref: '#/components/schemas/Order' } } } } } }
  /sales:
    get: { operationId: sales, responses: { 200: { description: x, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Sale' } } } } } } }
  /costs:
    get: { operationId: costs, responses: { 200: { description: x, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Sale' } } } } } } }
components:
  schemas:
    Order: { type: object, required: [id], properties: { id: { type: string }, a: { type: string, nullable: true, x: 1 }, b: { nullable: true } } }
    Sale: { type: object, properties: { month: { type: string }, place: { type: string }, sum: { type: number } } }
`;

/** The author of a strict document names the keys: lists without one are functions. */
const STRICT_LISTS = LISTS.replace('paths:', 'x-odata: { strict: true }\npaths:');

describe('the lists of a document', () => {
  it('are counted, with the reasons of those that are no tables, the commonest first', async () => {
    const { code, stdout } = await outcome(['validate', await temporaryFile('shop.yaml', STRICT_LISTS)]);
    expect([code, stdout]).toStrictEqual([
      0,
      expect.stringContaining(`
Tables: 1 of 3 lists

  2 lists (list-without-key), such as /sales: nothing tells its entities apart: no property of Sale is named like a key
    /paths/~1sales/get
    x-odata.key on the schema names the properties that do
`),
    ]);
  });

  it('are tables where the words are said that were missing', async () => {
    const file = await temporaryFile('shop.yaml', LISTS);
    const overlay = await temporaryFile(
      'more.yaml',
      'overlay: 1.0.0\nactions: [{ target: $.components.schemas.Sale, update: { x-odata: { entitySet: Sales, key: month } } }]\n',
    );
    const { stdout } = await outcome(['validate', file, '--overlay', overlay]);
    expect(stdout).toMatch(/^Tables: [23] of 3 lists$/m);
  });

  it('that are said to be functions are called so', async () => {
    const file = await temporaryFile(
      'shop.yaml',
      STRICT_LISTS.replace('operationId: sales', 'operationId: sales, x-odata: { function: Sales }'),
    );
    const { stdout } = await outcome(['validate', file, '--json']);
    expect(JSON.parse(stdout)[0].model.lists).toStrictEqual({
      lists: 3,
      tables: 1,
      reasons: [
        expect.objectContaining({
          rule: 'list-is-a-function',
          lists: 1,
          path: '/sales',
          pointer: '/paths/~1sales/get',
        }),
        expect.objectContaining({ rule: 'list-without-key', lists: 1, path: '/costs' }),
      ],
    });
  });

  it('what is found at many places is told once, and costs nothing that is served', async () => {
    const { stdout } = await outcome(['validate', await temporaryFile('shop.yaml', LISTS)]);
    const notes = stdout.slice(stdout.indexOf('Notes: '));
    expect(notes).toMatch(/^ {2}Nothing tells its entities apart: .*\n {4}\S+ {2}and 1 other place$/m);
    expect(stdout).not.toContain('Errors');
  });

  it('reads references without a slash behind #, and reports them once', async () => {
    const file = await temporaryFile('shop.yaml', SLASHLESS);
    const { code, stdout } = await outcome(['validate', file]);
    expect([code, stdout.split('\n').filter((line) => /Tables|slash|#components/.test(line))]).toEqual([
      0,
      [
        'Tables: 1 of 1 list',
        '  The reference #components/schemas/Order lacks the slash behind #: it is read as if it had it (reference-without-slash)',
      ],
    ]);
  });

  it('does not begin its notes with what no role may use', async () => {
    const file = await temporaryFile('shop.yaml', SLASHLESS);
    const { stdout } = await outcome(['validate', file]);
    const [, first = ''] = stdout.split(/Notes: \d+\n\n/);
    expect(first).not.toMatch(/^ *Nobody may/);
    expect(first).toMatch(/Nobody may use Order/);
    expect(first).toMatch(/Nobody may call Audit/);
  });
});

const SLASHLESS = `openapi: 3.1.0
info: { title: Shop, version: "1" }
paths:
  /orders: { get: { operationId: orders, responses: { 200: { description: x, content: { application/json: { schema: { type: array, items: { $ref: "#components/schemas/Order" } } } } } } } }
  /orders/{id}: { get: { parameters: [{ name: id, in: path, required: true, schema: { type: string } }], responses: { 200: { description: x, content: { application/json: { schema: { $ref: "#components/schemas/Order" } } } } } } }
  /audit: { post: { operationId: audit, responses: { 204: { description: x } } } }
components:
  schemas:
    Order: { type: object, properties: { id: { type: string } } }
`;
