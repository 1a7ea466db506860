import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, documentOf, sourceOf } from '../support/temporary-project.ts';
import { outcome } from './command.ts';

async function openProject() {
  const upstream = await startStandInUpstream((_, reply) => reply.json([{ id: 1 }]));
  onTestFinished(() => upstream.close());
  const project = createProject({
    '.meshrc.yaml': `sources:\n${sourceOf('Posts', './openapi/posts.yaml', upstream.url)}`,
    'openapi/posts.yaml': documentOf('Post'),
    'new/notes.yaml': documentOf('Note').replace('https://jsonplaceholder.typicode.com', upstream.url),
  });
  const environment = { MESH_CONFIG: project.path('.meshrc.yaml'), REGISTRY_HOSTS: '127.0.0.1' };
  return { upstream, project, run: (...args: readonly string[]) => outcome(args, environment) };
}

describe('duogate api', () => {
  it('registers an API, adds it to the project, and takes it away', async () => {
    const { project, upstream, run } = await openProject();
    const before = readFileSync(project.path('.meshrc.yaml'), 'utf8');
    const registered = await run('api', 'register', 'Notes', project.path('new/notes.yaml'));
    expect([registered.code, registered.stderr, registered.stdout]).toStrictEqual([
      0,
      '',
      `Name         Notes
Document     Posts 1.0.0 (OpenAPI 3.1.0)
File         openapi/notes.yaml
Service URL  ${upstream.url}
State        registered
Operations   3
Entity sets  Note
Report       There are no schema validation errors.
`,
    ]);
    expect((await run('api', 'add', 'Notes')).stdout).toContain('State        live\n');
    expect((await run('api', 'list')).stdout).toBe(
      `NAME   STATE  ERRORS  FILE                SERVICE URL
Posts  live   0       openapi/posts.yaml  ${upstream.url}
Notes  live   0       openapi/notes.yaml  ${upstream.url}
`,
    );
    expect((await run('api', 'fetch', 'Notes')).stdout).toBe('The document has not changed.\n');
    expect(await run('api', 'remove', 'Notes')).toStrictEqual({
      code: 1,
      stdout: '',
      stderr: 'Notes would no longer be served: Note.\nTo do so, repeat the command with --yes.\n',
    });
    expect((await run('api', 'remove', 'Notes', '--yes')).stdout).toContain('State        registered\n');
    expect(readFileSync(project.path('.meshrc.yaml'), 'utf8')).toBe(before);
    expect(await run('api', 'delete', 'Notes')).toStrictEqual({
      code: 1,
      stdout: '',
      stderr:
        'Its document, its overlay and its history would be deleted.\nTo do so, repeat the command with --yes.\n',
    });
    expect((await run('api', 'delete', 'Notes', '--yes')).stdout).toBe('Notes is deleted.\n');
    expect(existsSync(join(project.directory, 'openapi/notes.yaml'))).toBe(false);
    expect(upstream.requests).toHaveLength(0);
  });

  it.each([
    [['api', 'show', 'Nobody'], 'There is no API named "Nobody".\n'],
    [['api', 'register', 'Posts', 'openapi/posts.yaml'], 'An API named Posts already exists.\n'],
    [
      ['api', 'register', 'Notes', '/nowhere.yaml'],
      'The file cannot be read: there is no file of that name.\n',
    ],
    [['api', 'remove', 'Posts', '--yes'], 'Posts is the only API of the project: there must be one.\n'],
  ])('says why it cannot: %j', async (args, stderr) => {
    const { run } = await openProject();
    expect(await run(...args)).toStrictEqual({ code: 1, stdout: '', stderr });
  });

  it.each([
    [['api', 'serve'], "Unknown command 'serve'."],
    [['api', 'add'], "Missing required argument 'NAME'."],
    [['api', 'list', 'x'], "Too many arguments for 'list'. Expected 0 arguments but got 1."],
    [['api', 'add', 'x', '--url', 'y'], "Unknown option '--url'."],
    [['try', 'Posts', 'GET'], "Missing required argument 'PATH'."],
    [['try', 'Posts', 'GET', '/x', '--header', 'x'], 'A header must be \'NAME: VALUE\', not "x".'],
  ])('does not understand %j', async (args, message) => {
    const { code, stderr } = await outcome(args);
    expect([code, stderr.split('\n')[0]]).toStrictEqual([2, message]);
  });
});

describe('duogate try', () => {
  it('runs an operation and prints the answer', async () => {
    const { upstream, run } = await openProject();
    const { code, stdout } = await run('try', 'Posts', 'get', '/posts');
    expect([code, stdout.replace(/in \d+ ms/, 'in 1 ms')]).toStrictEqual([
      0,
      `200 in 1 ms
content-length: 10
content-type: application/json

The same call

  curl -X 'GET' '${upstream.url}/posts' -H 'accept: application/json, */*;q=0.5'

[{"id":1}]
`,
    ]);
  });

  it('tells by its exit code that the answer is an error', async () => {
    const { upstream, run } = await openProject();
    upstream.behave((_, reply) => reply.send(404, '{}'));
    const { code, stdout } = await run('try', 'Posts', 'GET', '/posts/1', '--json');
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { status: 404, body: '{}' }]);
    upstream.behave((_, reply) => reply.send(500, 'secret'));
    expect(await run('try', 'Posts', 'POST', '/posts', '--body', '{}')).toStrictEqual({
      code: 1,
      stdout: '',
      stderr: 'The upstream service is not available.\n',
    });
    expect((await run('try', 'Posts', 'GET', '/users')).stderr).toBe(
      'The document has no operation at this path.\n',
    );
  });
});
