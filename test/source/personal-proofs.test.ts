import { expect, it, onTestFinished } from 'vitest';
import { ACCESS, bearer, signUp } from '../auth/account-client.ts';
import { asking } from '../mesh/upstream-credentials/notes-scene.ts';
import { startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, serveProject } from '../support/temporary-project.ts';

const TASKS = Array.from({ length: 60 }, (_, index) => ({ id: index + 1, code: `c${index % 20}` }));
const SIZE = 10;

const ANSWER = {
  type: 'object',
  required: ['items', 'total'],
  properties: {
    items: { type: 'array', items: { $ref: '#/components/schemas/Task' } },
    total: { type: 'integer' },
  },
};
const query = (name: string, schema: object) => ({ name, in: 'query', schema });
const responses = (schema: object) => ({
  200: { description: 'OK', content: { 'application/json': { schema } } },
});
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Tasks', version: '1' },
  paths: {
    '/tasks': {
      get: {
        operationId: 'tasks',
        parameters: [
          query('page', { type: 'integer', minimum: 1, default: 1 }),
          query('per_page', { type: 'integer', maximum: SIZE, default: SIZE }),
          query('code', { type: 'string' }),
        ],
        responses: responses(ANSWER),
      },
    },
  },
  components: {
    schemas: {
      Task: {
        type: 'object',
        required: ['id', 'code'],
        properties: { id: { type: 'integer' }, code: { type: 'string' } },
        'x-odata': { grants: { User: ['View'] }, key: ['id'] },
      },
    },
  },
};

it('has each user with a key of their own see for themselves what a parameter does', async () => {
  const calls: string[] = [];
  const upstream = await startStandInUpstream(({ target, headers }, reply) => {
    const { searchParams } = new URL(target, 'http://api');
    const code = searchParams.get('code');
    const user = headers['x-key'] ?? 'nobody';
    calls.push(`${user}${code === null ? '' : ` code=${code}`}`);
    // The API ignores the parameter for Ben.
    const rows = code === null || user === 'ben' ? TASKS : TASKS.filter((task) => task.code === code);
    const start = (Number(searchParams.get('page') ?? 1) - 1) * SIZE;
    reply.json({ items: rows.slice(start, start + SIZE), total: rows.length });
  });
  onTestFinished(() => upstream.close());
  const openapi = { source: './tasks.json', endpoint: upstream.url };
  const project = createProject({
    '.meshrc.yaml': JSON.stringify({ sources: [{ name: 'Tasks', handler: { openapi } }] }),
    'credentials.yaml': JSON.stringify({ Tasks: { userKey: { header: 'X-Key' } } }),
    'tasks.json': JSON.stringify(DOCUMENT),
  });
  const environment = { ...ACCESS, DATABASE_URL: project.path('accounts.sqlite') };
  const { gateway } = await serveProject(project, environment);
  const scene = asking(gateway);
  const enter = async (user: string) => {
    const headers = bearer((await signUp(scene, `${user}@example.com`)).session);
    await scene.fetch('/api/auth/upstream-keys/Tasks', {
      method: 'PUT',
      body: JSON.stringify({ key: user }),
      headers: { ...headers, 'content-type': 'application/json' },
    });
    return headers;
  };
  const [anna, ben] = [await enter('anna'), await enter('ben')];
  const read = async (headers: Record<string, string>, code: string) => {
    calls.length = 0;
    const [status, body] = await scene.get(`Task?$filter=Code eq '${code}'`, headers);
    const { value } = body as { readonly value: readonly { readonly Id: number }[] };
    return { status, ids: value.map(({ Id }) => Id), calls: [...calls] };
  };
  const idsOf = (code: string) => TASKS.flatMap((task) => (task.code === code ? [task.id] : []));
  await read(anna, 'c3');
  expect(await read(anna, 'c4')).toStrictEqual({ status: 200, ids: idsOf('c4'), calls: ['anna code=c4'] });
  expect(await read(ben, 'c3')).toMatchObject({ status: 200, ids: idsOf('c3') });
  const again = await read(ben, 'c4');
  expect([again.status, again.ids]).toStrictEqual([200, idsOf('c4')]);
  expect(again.calls).toStrictEqual(Array(6).fill('ben'));
  expect((await read(anna, 'c5')).calls).toStrictEqual(['anna code=c5']);
});
