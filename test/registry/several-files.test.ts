import { readFileSync } from 'node:fs';
import { strToU8, type Zippable, zipSync } from 'fflate';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startStandInUpstream } from '../support/stand-in-upstream.ts';
import { postsProject, serveRegistry } from './registry-gateway.ts';

const ROOT = `openapi: 3.1.0
info: { title: Shop, version: "1" }
servers: [{ url: URL }]
paths:
  /pets: { $ref: paths/pets.yaml }
`;
const PETS = `get: { operationId: pets, responses: { 200: { description: ok, content: { application/json: { schema: { type: array, items: { $ref: '../../common/pet.yaml' } } } } } } }\n`;
const PET = 'type: object\nrequired: [id]\nproperties: { id: { type: integer }, name: { type: string } }\n';

type Files = Readonly<Record<string, string>>;

function zipOf(files: Files, attributes: Zippable = {}): string {
  const entries = Object.entries(files).map(([name, text]) => [name, strToU8(text)] as const);
  return Buffer.from(zipSync({ ...Object.fromEntries(entries), ...attributes }, { level: 9 })).toString(
    'base64',
  );
}

async function serve(answers: Readonly<Record<string, unknown>> = {}) {
  const upstream = await startStandInUpstream(({ target }, reply) => {
    const answer = answers[target];
    if (answer === undefined) return reply.send(404);
    if (typeof answer === 'string') return reply.send(200, answer);
    reply.json(answer);
  });
  onTestFinished(() => upstream.close());
  const project = postsProject(upstream.url);
  const files: Files = {
    'shop-main/api/openapi.yaml': ROOT.replace('URL', upstream.url),
    'shop-main/api/paths/pets.yaml': PETS,
    'shop-main/common/pet.yaml': PET,
    'shop-main/README.md': 'A shop.',
  };
  return { upstream, project, files, ...(await serveRegistry(project)) };
}

describe('a ZIP archive of a document of several files', () => {
  it('is checked with positions in its files, and registered as one source', async () => {
    const { ask, gateway, files, project } = await serve({ '/pets': [{ id: 1, name: 'Rex' }] });
    const broken = { ...files, 'shop-main/common/pet.yaml': `${PET}allOf: [{ $ref: nowhere.yaml }]\n` };
    const checked = await ask('POST', '/$check', { archive: zipOf(broken) });
    expect(checked.body.report.findings).toContainEqual(
      expect.objectContaining({
        rule: 'external-reference',
        file: '../common/pet.yaml',
        line: 4,
        message: 'The reference ../common/nowhere.yaml is not among the files: it is not read',
      }),
    );
    const refused = await ask('POST', '', { name: 'Shop', fileName: 'shop.zip', archive: zipOf(broken) });
    expect([refused.status, refused.body.error.target]).toStrictEqual([400, 'archive']);
    const made = await ask('POST', '', { name: 'Shop', fileName: 'shop.zip', archive: zipOf(files) });
    expect([made.status, made.body['file'], made.body['entitySets']]).toStrictEqual([
      201,
      'openapi/shop.json',
      ['Pet'],
    ]);
    expect(readFileSync(project.path('openapi/shop.json'), 'utf8')).not.toContain('.yaml');
    expect((await ask('POST', '/Shop/add')).status).toBe(200);
    const response = await fetch(`${gateway.url}/odata/Pet`);
    expect(await response.json()).toMatchObject({ value: [{ Id: 1, Name: 'Rex' }] });
    const wider = {
      ...files,
      'shop-main/common/pet.yaml': PET.replace('name:', 'age: { type: integer }, name:'),
    };
    const replaced = await ask('PUT', '/Shop', { archive: zipOf(wider) });
    expect(replaced.status).toBe(200);
    expect(readFileSync(project.path('openapi/shop.json'), 'utf8')).toContain('age');
  });

  it.each<[string, (files: Files) => string, number, string]>([
    ['no archive', () => 'aGVsbG8=', 400, 'The archive cannot be read'],
    [
      'a name above the archive',
      (files) => zipOf({ ...files, '../evil.yaml': PET }),
      400,
      'invalid relative path',
    ],
    ['an absolute name', (files) => zipOf({ ...files, '/etc/evil.yaml': PET }), 400, 'absolute path'],
    ['a backslash', (files) => zipOf({ ...files, '..\\evil.yaml': PET }), 400, 'invalid characters'],
    [
      'a link',
      (files) => zipOf(files, { 'link.yaml': [strToU8('/etc/passwd'), { os: 3, attrs: 0o120777 << 16 }] }),
      400,
      'is a link',
    ],
    ['a bomb', (files) => zipOf({ ...files, 'big.yaml': ' '.repeat(4_000_000) }), 413, 'to less than 1/200'],
    [
      'documents of more than 5 MiB',
      (files) =>
        zipOf({ ...files, 'big.json': JSON.stringify(Array.from({ length: 900_000 }, (_, at) => at)) }),
      413,
      'more than 5 MiB',
    ],
    [
      'too many files',
      (files) =>
        zipOf({
          ...files,
          ...Object.fromEntries(Array.from({ length: 2_100 }, (_, at) => [`n${at}.txt`, ''])),
        }),
      413,
      'more than 2000 files',
    ],
    ['no document', () => zipOf({ 'a.yaml': 'a: 1' }), 400, 'None of the files is an OpenAPI document'],
    [
      'two documents',
      (files) => zipOf({ ...files, 'shop-main/api/other.yaml': ROOT }),
      400,
      'More than one of the files is an OpenAPI document',
    ],
  ])('is refused for %s', async (_, archive, status, message) => {
    const { ask, files } = await serve();
    const { body, ...answer } = await ask('POST', '', {
      name: 'Shop',
      fileName: 'shop.zip',
      archive: archive(files),
    });
    expect([answer.status, body.error.message]).toStrictEqual([status, expect.stringContaining(message)]);
  });
});

describe('a document at a URL', () => {
  it('brings the files of its origin if that is asked for, now and when it is fetched again', async () => {
    const answers: Record<string, unknown> = {};
    const { ask, upstream, project } = await serve(answers);
    answers['/v1/api/openapi.yaml'] = ROOT.replace('URL', upstream.url);
    answers['/v1/api/paths/pets.yaml'] = PETS;
    answers['/v1/common/pet.yaml'] = PET;
    const url = `${upstream.url}/v1/api/openapi.yaml`;
    const refused = await ask('POST', '', { name: 'Shop', url });
    expect(refused.status).toBe(400);
    const made = await ask('POST', '', { name: 'Shop', url, withFiles: true });
    expect([made.status, made.body['entitySets']]).toStrictEqual([201, ['Pet']]);
    answers['/v1/common/pet.yaml'] = PET.replace('name:', 'age: { type: integer }, name:');
    const again = await ask('POST', '/Shop/fetch', {});
    expect([again.status, again.body['changed']]).toStrictEqual([200, true]);
    expect(readFileSync(project.path('openapi/shop.json'), 'utf8')).toContain('age');
  });

  it('brings no file of another origin', async () => {
    const answers: Record<string, unknown> = {};
    const { ask, upstream } = await serve(answers);
    const other = await startStandInUpstream((_, reply) => reply.send(200, PET));
    onTestFinished(() => other.close());
    answers['/openapi.yaml'] = ROOT.replace('URL', upstream.url).replace(
      'paths/pets.yaml',
      `${other.url}/pets.yaml`,
    );
    const { status } = await ask('POST', '', {
      name: 'Shop',
      url: `${upstream.url}/openapi.yaml`,
      withFiles: true,
    });
    expect([status, other.requests.length]).toStrictEqual([400, 0]);
  });
});
