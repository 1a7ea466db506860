import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { serveDocument } from '../openapi/served-document.ts';
import { type StandInUpstream, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, sourceOf, type TemporaryProject } from '../support/temporary-project.ts';
import { outcome } from './command.ts';

const NEST = readFileSync(join(import.meta.dirname, '../openapi/generated/nest-plain.yaml'), 'utf8');

const ROLES = [
  { id: 1, name: 'Admin', since: '2024-01-01', active: true, rate: 1, note: null },
  { id: 2, name: 'Reader', since: '2024-02-01', active: null, rate: 1.5, note: null },
];

interface Scene {
  readonly upstream: StandInUpstream;
  readonly project: TemporaryProject;
  learn(...args: readonly string[]): Promise<{ readonly code: number; readonly stdout: string }>;
}

/** A project of that document, before an API that answers with these. */
async function learning(document: string, answers: Readonly<Record<string, unknown>>): Promise<Scene> {
  const upstream = await startStandInUpstream(({ method, target }, reply) => {
    const answer = answers[`${method} ${target}`];
    if (answer === undefined) return reply.send(404);
    if (typeof answer === 'string') return reply.send(200, answer);
    reply.json(answer);
  });
  onTestFinished(() => upstream.close());
  const project = createProject({
    'api.yaml': document,
    '.meshrc.yaml': `sources:\n${sourceOf('Test', './api.yaml', upstream.url)}`,
  });
  const environment = { MESH_CONFIG: project.path('.meshrc.yaml'), AUTH: 'off' };
  return { upstream, project, learn: (...args) => outcome(['learn', ...args], environment) };
}

it('lists what it would call, and calls nothing', async () => {
  const { learn, upstream } = await learning(NEST, {});
  expect(await learn()).toMatchObject({
    code: 0,
    stdout: `Test:
  GET /users: would be called
  GET /users/{id}: would be called
  GET /roles: would be called
Nothing was called. --call calls the APIs, --write writes the overlays, too.
`,
  });
  expect(upstream.requests).toEqual([]);
});

it('shows what an overlay would gain, without a value of a row', async () => {
  const { learn, upstream } = await learning(NEST, { 'GET /roles': { items: ROLES, total: 2 } });
  const { code, stdout } = await learn('--call', '--operation', '/roles');
  expect(code).toBe(0);
  expect(stdout).toContain('GET /roles: learnt');
  expect(stdout).not.toMatch(/Admin|Reader|2024|1\.5/);
  expect(stdout.split('\n').filter((line) => line.startsWith('-'))).toEqual([]);
  expect(upstream.requests.map(({ method, target }) => `${method} ${target}`)).toEqual(['GET /roles']);
});

it('writes what it has learnt beside the document, so that it is served', async () => {
  const { learn, project } = await learning(NEST, { 'GET /roles': { items: ROLES, total: 2 } });
  expect((await learn('--write', '--operation', 'RolesController_findAll')).stdout).toContain('is written.');
  const overlay = readFileSync(project.path('api.overlay.yaml'), 'utf8');
  expect(overlay).toContain(`
  - target: $
    description: "Learnt from answers: Role"
    update:
      components:
        schemas:
          Role:
            type: object
            properties:
              id:
                type: integer
              name:
                type: string
              since:
                type: string
                format: date
              active:
                type: boolean
                nullable: true
              rate:
                type: number
              note:
                nullable: true
`);
  const { ask } = await serveOverlaid(overlay);
  expect(await ask('Role')).toEqual([
    200,
    {
      value: ROLES.map(({ id, name, since, active, rate, note }) => ({
        Id: id,
        Name: name,
        Since: since,
        Active: active,
        Rate: rate,
        Note: note,
      })),
    },
  ]);
});

it('becomes wider when it is repeated, and never narrower', async () => {
  const answers: Record<string, unknown> = { 'GET /roles': ROLES };
  const { learn, project } = await learning(NEST, answers);
  const overlay = () => readFileSync(project.path('api.overlay.yaml'), 'utf8');
  await learn('--write', '--operation', '/roles');
  const first = overlay();
  answers['GET /roles'] = [{ id: 3, name: null }];
  expect((await learn('--write', '--operation', '/roles')).stdout).toMatch(/^- .*description: "?Learnt/m);
  const second = overlay();
  expect(second).toContain('since:');
  expect(second).toMatch(/name:\n *type: string\n *nullable: true/);
  answers['GET /roles'] = ROLES;
  await learn('--write', '--operation', '/roles');
  expect(overlay()).toBe(second);
  expect(first).not.toBe(second);
});

it('asks for one entity by a key of its list', async () => {
  const { learn, upstream } = await learning(NEST, {
    'GET /users': { data: [{ id: 'u 1', email: 'a@example.com' }] },
    'GET /users/u%201': { id: 'u 1', email: 'a@example.com', more: { deep: [1] } },
  });
  expect((await learn('--call')).stdout).toContain('GET /users/{id}: learnt');
  expect(upstream.requests.map(({ target }) => target)).toEqual(['/users', '/roles', '/users/u%201']);
});

it.each<[string, unknown, string]>([
  ['an error', undefined, 'not learnt: the API answered with the status 404'],
  ['no JSON', '<html>', 'not learnt: the answer is no JSON'],
  ['a number', '7', 'not learnt: the answer is neither a list nor an object'],
  [
    '10,000 columns',
    [Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`c${index}`, index]))],
    'learnt',
  ],
  ['a name that is no property', `[{"__proto__": {"a": 1}, "id": 1}]`, 'learnt'],
  ['a row of 10 MB', [{ id: 1, text: 'x'.repeat(10_000_000) }], 'learnt'],
  ['rows of several types', [{ id: 1, a: 1 }, { id: 'x', a: {} }, 7, [null]], 'learnt'],
  ['lists without end', '['.repeat(5000) + ']'.repeat(5000), 'learnt'],
  ['no rows', [], 'learnt'],
])('is not harmed by %s', async (_, answer, expected) => {
  const { learn, project } = await learning(NEST, { 'GET /roles': answer });
  const { code, stdout } = await learn('--write', '--operation', '/roles');
  expect(code).toBe(0);
  expect(stdout).toContain(`GET /roles: ${expected}`);
  expect(stdout.length).toBeLessThan(20_000);
  const validated = await outcome(['validate', project.path('api.yaml')]);
  expect(validated.stdout).not.toContain('Errors');
});

async function serveOverlaid(overlay: string) {
  const upstreamAnswers = { 'GET /roles': { items: ROLES, total: 2 } };
  return serveDocument(NEST, upstreamAnswers, onTestFinished, {}, { 'api.overlay.yaml': overlay });
}
