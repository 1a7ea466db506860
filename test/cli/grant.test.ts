import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createProject, serveProject, sourceOf } from '../support/temporary-project.ts';
import { outcome } from './command.ts';

const POSTS = readFileSync(join(import.meta.dirname, '../../openapi/posts.yaml'), 'utf8');
const GRANTS = '        grants:\n          User: [View, Insert]\n';
const OVERLAY = 'openapi/posts.overlay.yaml';

function projectOf(document: string) {
  const project = createProject({
    '.meshrc.yaml': `sources:\n${sourceOf('Posts', './openapi/posts.yaml', 'http://127.0.0.1:9')}`,
    'openapi/posts.yaml': document,
  });
  const grant = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await outcome(['grant', ...args], {
      MESH_CONFIG: project.path('.meshrc.yaml'),
    });
    return { code, said: (stdout + stderr).replaceAll(project.directory, '') };
  };
  return { project, grant };
}

describe('duogate grant', () => {
  it('writes to the overlay what nobody was granted, and the document stays', async () => {
    expect(POSTS).toContain(GRANTS);
    const document = POSTS.replace(GRANTS, '');
    const { project, grant } = projectOf(document);
    expect(await grant('Clerk', 'Post', 'view', 'Insert')).toStrictEqual({
      code: 0,
      said: `Clerk may View, Insert Post\n(/${OVERLAY})\n`,
    });
    expect(readFileSync(project.path('openapi/posts.yaml'), 'utf8')).toBe(document);
    expect(readFileSync(project.path(OVERLAY), 'utf8')).toContain('target: $.components.schemas.Post\n');
    const { entitySets } = await serveProject(project);
    expect(await entitySets()).toStrictEqual(['Post']);
  });

  it('replaces what the document grants, and what was granted before', async () => {
    const { project, grant } = projectOf(POSTS);
    expect((await grant('User', 'Post', 'View')).said).toBe(`User may View Post\n(/${OVERLAY})\n`);
    expect((await grant('User', 'Post', '-')).said).toBe(`User may do nothing with Post\n(/${OVERLAY})\n`);
    expect(readFileSync(project.path(OVERLAY), 'utf8').match(/target:/g)).toHaveLength(1);
    expect((await grant('User', 'Post', 'Insert')).said).toBe(`User may Insert Post\n(/${OVERLAY})\n`);
  });

  it('keeps what there was before, with what is different for users', async () => {
    const { project, grant } = projectOf(POSTS);
    await grant('User', 'Post', 'View');
    await grant('Clerk', 'Post', 'View');
    const { code, stdout } = await outcome(['api', 'history', 'Posts'], {
      MESH_CONFIG: project.path('.meshrc.yaml'),
      UPSTREAM_URL: 'http://127.0.0.1:9',
    });
    const lines = stdout.split('\n').map((line) => line.replace(/\S+Z/, 'then').replaceAll(/ {2,}/g, '  '));
    expect([code, ...lines]).toStrictEqual([
      0,
      '2  then  operator  overlay',
      '  granting  Clerk may View Post now.',
      '1  then  operator  overlay',
      '  breaking  User may no longer Insert Post.',
      '',
    ]);
  });

  it('grants everything that has no grants of its own', async () => {
    const { grant } = projectOf(POSTS.replace(GRANTS, ''));
    expect((await grant('User', '*', 'View')).said).toContain('User may View Post\n');
  });

  it('keeps the comments of an overlay', async () => {
    const { project, grant } = projectOf(POSTS);
    const action = '  - target: $.info # the title\n    update: { title: Notes }\n';
    project.write(OVERLAY, `overlay: 1.0.0\ninfo: { title: Ours, version: "1" }\nactions:\n${action}`);
    await grant('Clerk', 'Post', 'View');
    expect(readFileSync(project.path(OVERLAY), 'utf8')).toContain('- target: $.info # the title');
  });

  it('replaces what an overlay grants by hand, and keeps what else it says', async () => {
    const { project, grant } = projectOf(POSTS.replace(GRANTS, ''));
    const hand = 'update: { x-odata: { grants: { User: [ Insert ] } }, title: Notes }';
    const overlay = `overlay: 1.0.0\ninfo: { title: Ours, version: "1" }\nactions:\n  - target: $.components.schemas.Post\n    ${hand}\n`;
    project.write(OVERLAY, overlay);
    expect((await grant('User', 'Post', 'View')).said).toBe(`User may View Post\n(/${OVERLAY})\n`);
    expect(readFileSync(project.path(OVERLAY), 'utf8')).toContain(hand);
  });

  it('keeps what others may do where the document grants everything', async () => {
    const { project, grant } = projectOf(
      POSTS.replace(GRANTS, '').replace(/^x-odata:\n/m, 'x-odata:\n  grants: { User: [View] }\n'),
    );
    expect((await grant('Clerk', 'Post', 'Insert')).said).toContain('Clerk may Insert Post\n');
    expect(readFileSync(project.path(OVERLAY), 'utf8')).toContain('User:\n');
    expect((await grant('User', 'Post', '-')).said).toContain('User may do nothing with Post\n');
    expect((await grant('Clerk', 'Post', '-')).said).toContain('Clerk may do nothing with Post\n');
    expect((await grant('User', 'Post', 'View')).said).toContain('User may View Post\n');
  });

  it('is shown by duogate grants, of the project that is served when no file is named', async () => {
    const { project, grant } = projectOf(POSTS);
    await grant('Clerk', 'Post', 'View');
    const { stdout } = await outcome(['grants'], { MESH_CONFIG: project.path('.meshrc.yaml') });
    expect(stdout).toContain('Clerk');
    const here = await outcome(['grants'], {}, '', project.directory);
    expect(here).toStrictEqual({ code: 0, stdout, stderr: '' });
    const elsewhere = await outcome(['grants'], {}, '', project.path('openapi'));
    expect(elsewhere).toStrictEqual({
      code: 1,
      stdout: '',
      stderr: 'There is no project here. Name an OpenAPI file.\n',
    });
  });

  it('is in the audit log, as is what is done to APIs', async () => {
    const { project } = projectOf(POSTS);
    const environment = {
      MESH_CONFIG: project.path('.meshrc.yaml'),
      DATABASE_URL: project.path('accounts.sqlite'),
    };
    const run = async (...args: readonly string[]) => (await outcome(args, environment)).code;
    expect(await run('user', 'add', 'ada@example.com')).toBe(0);
    expect(await run('grant', 'User', 'Post', 'View')).toBe(0);
    expect(await run('api', 'register', 'Notes', project.path('openapi/posts.yaml'))).toBe(0);
    const { stdout } = await outcome(['audit', '--json'], environment);
    const acts = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(acts.map(({ actor, action, subject }) => [actor, action, subject])).toStrictEqual([
      ['command line', 'registered', 'Notes'],
      ['command line', 'granted Post', 'Posts'],
      ['command line', 'created an account', 'ada@example.com'],
    ]);
  });

  it.each([
    [['User', 'Pots', 'View'], 'There is no entity "Pots": known are Post.\n'],
    [['User', '__proto__', 'View'], 'There is no entity "__proto__": known are Post.\n'],
  ])('refuses %j', async (args, said) => {
    const { grant } = projectOf(POSTS);
    expect(await grant(...args)).toStrictEqual({ code: 1, said });
  });

  it('says what decides about entities that others contain', async () => {
    const list = (name: string) => ({ type: 'array', items: { $ref: `#/components/schemas/${name}` } });
    const schema = (key: string) => ({
      type: 'object',
      required: [key],
      properties: { [key]: { type: 'integer' }, text: { type: 'string' } },
    });
    const one = (name: string) => answer({ $ref: `#/components/schemas/${name}` });
    const answer = (body: object) => ({
      get: {
        responses: { 200: { description: 'Found.', content: { 'application/json': { schema: body } } } },
      },
    });
    const parameters = (...names: readonly string[]) => ({
      parameters: names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'integer' } })),
    });
    const document = {
      openapi: '3.1.0',
      info: { title: 'Shop', version: '1' },
      paths: {
        '/orders': answer(list('Order')),
        '/orders/{id}': { ...parameters('id'), ...one('Order') },
        '/orders/{id}/items': { ...parameters('id'), ...answer(list('Item')) },
        '/orders/{id}/items/{number}': { ...parameters('id', 'number'), ...one('Item') },
      },
      components: {
        schemas: {
          Order: schema('id'),
          Item: { ...schema('number'), 'x-odata': { grants: { User: ['View'] } } },
        },
      },
    };
    const { grant } = projectOf(JSON.stringify(document));
    expect(await grant('User', 'Order/Items', 'View')).toStrictEqual({
      code: 1,
      said: 'Order/Items cannot be granted by itself: the grants of its schema decide who may use it.\n',
    });
  });
});
