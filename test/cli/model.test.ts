import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { jsonOfXml } from '../support/csdl.ts';
import { outcome, temporaryFile } from './command.ts';
import {
  HOSTILE,
  HOSTILE_REPORT,
  SHOP,
  SHOP_JSON,
  SHOP_REPORT,
  SINGLE,
  SINGLE_REPORT,
} from './model.cases.ts';

const POSTS = join(import.meta.dirname, '../../openapi/posts.yaml');

const NOTHING = `File         nothing.yaml
Document     without a title (OpenAPI 3.0.3)
Namespace    Nothing
Container    Container
Types        0 entity, 0 complex, 0 enumeration, 0 defined
Served       0 entity sets, 0 singletons, 0 navigation paths, 0 functions, 0 actions
Credentials  none needed
Findings     0 errors, 1 left out or limited, 0 notes

Left out or limited: 1

  Nothing in the document can be served
    the document
`;

const MANY_PARAMETERS = `openapi: 3.1.0
paths:
  /find:
    post:
      operationId: find
      requestBody: {content: {application/json: {schema: {type: object, required: [first], properties: {
        first: {type: string}, aSecondParameter: {type: string}, aThirdParameter: {type: boolean}, aFourthParameter: {type: integer}}}}}}
      responses: {200: {description: OK, content: {application/json: {schema: {type: integer, format: int64}}}}}
`;

const MANY_PARAMETERS_REPORT = `File         many.yaml
Document     without a title (OpenAPI 3.1.0)
Namespace    Many
Container    Container
Types        0 entity, 0 complex, 0 enumeration, 0 defined
Served       0 entity sets, 0 singletons, 0 navigation paths, 0 functions, 1 action
Credentials  none needed
Findings     0 errors, 0 left out or limited, 1 note

Actions: 1

  Find
    takes    First Edm.String, ASecondParameter? Edm.String, AThirdParameter? Edm.Boolean,
             AFourthParameter? Edm.Int64
    returns  Edm.Int64
    calls    find  POST /find

Notes: 1

  Nobody may call Find: x-odata.grants on the operation says who may
    /paths/~1find/post
`;

describe('duogate model', () => {
  it.each([
    ['shop.yaml', SHOP, SHOP_REPORT, 0],
    ['hostile.yaml', HOSTILE, HOSTILE_REPORT, 1],
    ['nothing.yaml', 'openapi: 3.0.3', NOTHING, 0],
    ['many.yaml', MANY_PARAMETERS, MANY_PARAMETERS_REPORT, 0],
    ['single.yaml', SINGLE, SINGLE_REPORT, 0],
  ])('reports on %s', async (name, document, report, code) => {
    const file = await temporaryFile(name, document);
    expect(await outcome(['model', file])).toStrictEqual({ code, stdout: report, stderr: '' });
  });

  it('reports as JSON', async () => {
    const { code, stdout, stderr } = await outcome([
      'model',
      await temporaryFile('shop.yaml', SHOP),
      '--json',
    ]);
    expect([code, stderr]).toStrictEqual([0, '']);
    expect(JSON.parse(stdout)).toStrictEqual(SHOP_JSON);
  });

  it('says in JSON too that the document has errors', async () => {
    const file = await temporaryFile('hostile.yaml', HOSTILE);
    const { code, stdout } = await outcome(['model', '--json', file]);
    const { findings } = JSON.parse(stdout) as { findings: readonly { severity: string }[] };
    expect([code, findings.map(({ severity }) => severity).sort()]).toStrictEqual([
      1,
      ['error', 'error', 'info', 'info', 'warning'],
    ]);
  });
});

describe('duogate model --metadata', () => {
  it.each([[['--metadata']], [['--metadata', 'xml']], [['--metadata=xml']]])(
    'writes XML for %j',
    async (options) => {
      const before = await outcome(['model', ...options, POSTS]);
      const after = await outcome(['model', POSTS, ...options]);
      expect(before).toStrictEqual(after);
      const { stdout, ...rest } = after;
      expect(rest).toStrictEqual({ code: 0, stderr: '' });
      const { stdout: json } = await outcome(['model', POSTS, '--metadata', 'json']);
      expect(jsonOfXml(stdout)).toEqual(JSON.parse(json));
    },
  );

  it('writes errors beside the metadata', async () => {
    const file = await temporaryFile('hostile.yaml', HOSTILE);
    const { code, stdout, stderr } = await outcome(['model', file, '--metadata']);
    expect([code, stdout.startsWith('<?xml')]).toStrictEqual([1, true]);
    expect(`\n${stderr}`).toBe(/\nErrors.*(?=\nLeft out)/s.exec(HOSTILE_REPORT)?.[0]);
  });

  it('takes what stands behind -- for a file', async () => {
    expect(await outcome(['model', '--', '--metadata'])).toStrictEqual({
      code: 1,
      stdout: '',
      stderr: '--metadata: The file cannot be read: there is no file of that name.\n',
    });
  });
});

describe('the posts service', () => {
  it('is reported as it is', async () => {
    const { code, stdout } = await outcome(['model', POSTS]);
    expect([code, stdout.slice(stdout.indexOf('Entity sets:'))]).toStrictEqual([
      0,
      `Entity sets: 1

  Post(Id Edm.String)
    read list    posts       GET /posts
    read by key  post        GET /posts/{id}
    insert       createPost  POST /posts
    update       –
    delete       –
`,
    ]);
  });
});
