import { describe, expect, it, onTestFinished } from 'vitest';
import { createKeptAnswers } from '../../src/upstream/kept/kept-answers.ts';
import { ACCESS, bearer, signUp } from '../auth/account-client.ts';
import { asking } from '../mesh/upstream-credentials/notes-scene.ts';
import { type Behaviour, type ReceivedRequest, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, serveProject } from '../support/temporary-project.ts';

const TASK = { $ref: '#/components/schemas/Task' };
const JSON_OF = (schema: object) => ({ 'application/json': { schema } });
const ID = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } };

interface Settings {
  readonly document?: object;
  readonly list?: object;
  readonly path?: object;
  readonly schema?: object;
}

function documentWith({ document, list, path, schema }: Settings): object {
  const entity = { responses: { 200: { description: 'OK', content: JSON_OF(TASK) } } };
  return {
    openapi: '3.1.0',
    info: { title: 'Tasks', version: '1' },
    'x-odata': document ?? {},
    paths: {
      '/tasks': {
        'x-odata': path ?? {},
        get: {
          operationId: 'tasks',
          'x-odata': list ?? {},
          responses: { 200: { description: 'OK', content: JSON_OF({ type: 'array', items: TASK }) } },
        },
        post: {
          operationId: 'createTask',
          requestBody: { required: true, content: JSON_OF(TASK) },
          responses: { 201: { description: 'Created', content: JSON_OF(TASK) } },
        },
      },
      '/tasks/{id}': {
        get: { operationId: 'task', parameters: [ID], ...entity },
        patch: {
          operationId: 'changeTask',
          parameters: [ID],
          requestBody: { required: true, content: JSON_OF(TASK) },
          ...entity,
        },
      },
    },
    components: {
      schemas: {
        Task: {
          type: 'object',
          required: ['id'],
          properties: { id: { type: 'integer' }, name: { type: 'string' } },
          'x-odata': { grants: { User: ['View', 'Insert', 'Update'] }, ...schema },
        },
      },
    },
  };
}

/** Answers with a name that is another one at each request. */
function countingApi(headers: Readonly<Record<string, string>> = {}) {
  let count = 0;
  const behaviour: Behaviour = ({ method, target }, reply) => {
    count += 1;
    const entity = { id: Number(/\d+$/.exec(target)?.[0] ?? 1), name: `state ${count}` };
    const body = JSON.stringify(target === '/tasks' && method === 'GET' ? [entity] : entity);
    reply.send(method === 'POST' ? 201 : 200, body, { 'content-type': 'application/json', ...headers });
  };
  return behaviour;
}

async function serveTasks(settings: Settings, behaviour = countingApi(), environment: object = {}) {
  const upstream = await startStandInUpstream(behaviour);
  onTestFinished(() => upstream.close());
  const openapi = { source: './tasks.json', endpoint: upstream.url };
  const project = createProject({
    '.meshrc.yaml': JSON.stringify({ sources: [{ name: 'Tasks', handler: { openapi } }] }),
    'tasks.json': JSON.stringify(documentWith(settings)),
  });
  const { gateway } = await serveProject(project, { ...environment });
  return {
    upstream,
    calls: () => upstream.requests.map(({ method, target }: ReceivedRequest) => `${method} ${target}`),
    async fetch(path: string, init: RequestInit = {}) {
      const response = await fetch(`${gateway.url}${path}`, init);
      return { headers: response.headers, status: response.status, text: await response.text() };
    },
    async nameOf(path: string, headers: Record<string, string> = {}): Promise<string> {
      const text = await (await fetch(`${gateway.url}/odata/${path}`, { headers })).text();
      return /state \d+/.exec(text)?.[0] ?? text;
    },
  };
}

const FIVE_MINUTES = { maxAge: '5m' };

describe('x-odata.maxAge', () => {
  it('is off without a setting: each read asks the API', async () => {
    const { nameOf, fetch: ask } = await serveTasks({});
    expect([await nameOf('Task(1)'), await nameOf('Task(1)')]).toStrictEqual(['state 1', 'state 2']);
    const { headers } = await ask('/odata/Task');
    expect([headers.get('cache-control'), headers.get('age')]).toStrictEqual(['private, no-cache', null]);
  });

  it.each<readonly [string, Settings, readonly string[]]>([
    ['the document', { document: FIVE_MINUTES }, ['state 1', 'state 1', 'state 2', 'state 2']],
    ['a path', { path: FIVE_MINUTES }, ['state 1', 'state 1', 'state 2', 'state 3']],
    ['an operation', { list: FIVE_MINUTES }, ['state 1', 'state 1', 'state 2', 'state 3']],
    ['a set', { schema: FIVE_MINUTES }, ['state 1', 'state 1', 'state 2', 'state 2']],
  ])('on %s has answers used again', async (_, settings, expected) => {
    const { nameOf } = await serveTasks(settings);
    const names = [];
    for (const path of ['Task', 'Task?$filter=Name ne null', 'Task(7)', 'Task(7)'])
      names.push(await nameOf(path));
    expect(names).toStrictEqual(expected);
  });

  it('of a set without it is as before beside another that has it', async () => {
    const { nameOf } = await serveTasks({ document: FIVE_MINUTES, list: { maxAge: '0s' } });
    expect([await nameOf('Task'), await nameOf('Task')]).toStrictEqual(['state 1', 'state 2']);
  });

  it('says how old an answer is and how long it may be used (RFC 9111, 5.1 and 5.2.2.1)', async () => {
    const { fetch: ask } = await serveTasks({ document: FIVE_MINUTES }, countingApi({ age: '20' }));
    const first = await ask('/odata/Task(1)');
    expect(first.headers.get('cache-control')).toMatch(/^private, max-age=2(79|80)$/);
    expect(first.headers.get('vary')).toContain('authorization, cookie, x-api-key');
    const { headers } = await ask('/odata/Task(1)');
    expect(Number(headers.get('age'))).toBeGreaterThanOrEqual(20);
    expect(headers.get('cache-control')).toMatch(/^private, max-age=2\d\d$/);
    expect(headers.get('server-timing')).toMatch(
      /^calls;desc="0", pages;desc="0", rows;desc="1", kept;desc="1", age;desc="2\d s", /,
    );
    const batch = JSON.stringify({
      requests: ['Task(1)', 'Task(2)'].map((url, id) => ({ id: String(id), method: 'GET', url })),
    });
    const json = { 'content-type': 'application/json' };
    const whole = await ask('/odata/$batch', { method: 'POST', body: batch, headers: json });
    expect(Number(whole.headers.get('age'))).toBeGreaterThanOrEqual(20);
  });

  it('says the same of answers to GraphQL queries', async () => {
    const { fetch: ask } = await serveTasks({ document: FIVE_MINUTES }, countingApi({ age: '20' }));
    const query = (text: string, headers: Record<string, string> = {}) =>
      ask('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query: text }),
      });
    const TASK_1 = '{ task(id: 1) { name } }';
    // The second answer to a document takes another way than the first.
    for (const state of [1, 1, 1]) {
      const { headers, text } = await query(TASK_1);
      expect(text).toBe(JSON.stringify({ data: { task: { name: `state ${state}` } } }));
      expect(headers.get('cache-control')).toMatch(/^private, max-age=2\d\d$/);
      expect(headers.get('vary')).toBe('accept, authorization, cookie, x-api-key');
    }
    expect(Number((await query(TASK_1)).headers.get('age'))).toBeGreaterThanOrEqual(20);
    const anew = await query(TASK_1, { 'cache-control': 'no-cache' });
    expect(anew.text).toContain('state 2');
    const both = await query('{ task(id: 1) { name } tasks { name } }');
    expect(Number(both.headers.get('age'))).toBeGreaterThanOrEqual(20);
    expect(both.headers.get('cache-control')).toMatch(/^private, max-age=2\d\d$/);
    const wrong = await query('{ task(id: 1) { nome } }');
    expect(wrong.headers.get('cache-control')).toBe('no-store');
    const change = await query('mutation { createTask(input: { id: 1 }) { task { name } } }');
    expect(change.headers.get('cache-control')).toBe('no-store');
  });

  it('leaves answers to GraphQL queries without it to be asked for anew', async () => {
    const { fetch: ask } = await serveTasks({});
    for (let times = 0; times < 2; times += 1) {
      const { headers } = await ask(`/graphql?query=${encodeURIComponent('{ tasks { name } }')}`);
      expect([headers.get('cache-control'), headers.get('age')]).toStrictEqual(['private, no-cache', null]);
    }
  });

  it.each(['no-cache', 'max-age=0', 'No-Store'])(
    'does not count for a request with Cache-Control: %s',
    async (text) => {
      const { nameOf } = await serveTasks({ document: FIVE_MINUTES });
      const names = [
        await nameOf('Task(1)'),
        await nameOf('Task(1)', { 'cache-control': text }),
        await nameOf('Task(1)'),
      ];
      expect(names).toStrictEqual(['state 1', 'state 2', 'state 2']);
    },
  );

  it('ends with a change through the gateway, by each face', async () => {
    const { nameOf, fetch: ask, calls } = await serveTasks({ document: FIVE_MINUTES });
    const json = { 'content-type': 'application/json' };
    expect(await nameOf('Task(1)')).toBe('state 1');
    await ask('/odata/Task', { method: 'POST', body: '{"Id":2}', headers: json });
    expect([await nameOf('Task(1)'), await nameOf('Task(1)')]).toStrictEqual(['state 3', 'state 3']);
    const mutation = JSON.stringify({
      query: 'mutation { updateTask(id: 1, input: { name: "x" }) { name } }',
    });
    await ask('/graphql', { method: 'POST', body: mutation, headers: json });
    const before = calls().length;
    expect(await nameOf('Task(1)')).not.toBe('state 3');
    expect(calls().length).toBe(before + 1);
  });

  it('has a change depend on what there is, not on what is kept (RFC 9110, 13.1.1)', async () => {
    const { fetch: ask, nameOf } = await serveTasks({ document: FIVE_MINUTES });
    const { headers } = await ask('/odata/Task(1)');
    const etag = headers.get('etag') ?? '';
    expect(await nameOf('Task(1)')).toBe('state 1');
    const changed = await ask('/odata/Task(1)', {
      method: 'PATCH',
      body: '{"Name":"x"}',
      headers: { 'content-type': 'application/json', 'if-match': etag },
    });
    expect(changed.status).toBe(412);
  });

  it('has requests that need the same answer make one call', async () => {
    let release: (() => void) | undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { nameOf, calls } = await serveTasks({ document: FIVE_MINUTES }, async (_, reply) => {
      await held;
      reply.json({ id: 1, name: 'state 1' });
    });
    const names = Promise.all(
      Array.from({ length: 20 }, (_, index) => nameOf(`Task(1)?$select=Name,Id&n=${index}`)),
    );
    await expect.poll(() => calls().length).toBe(1);
    release?.();
    expect(new Set(await names)).toEqual(new Set(['state 1']));
    expect(calls()).toStrictEqual(['GET /tasks/1']);
  });

  it('keeps no failure', async () => {
    let status = 404;
    const { nameOf, fetch: ask } = await serveTasks({ document: FIVE_MINUTES }, (_, reply) => {
      reply.send(status, '{"id":1,"name":"state 9"}', { 'content-type': 'application/json' });
    });
    expect((await ask('/odata/Task(1)')).status).toBe(404);
    status = 200;
    expect(await nameOf('Task(1)')).toBe('state 9');
  });

  it('api keeps what the API allows to keep, and no more', async () => {
    const allowed = await serveTasks(
      { document: { maxAge: 'api' } },
      countingApi({ 'cache-control': 'max-age=60' }),
    );
    expect([await allowed.nameOf('Task(1)'), await allowed.nameOf('Task(1)')]).toStrictEqual([
      'state 1',
      'state 1',
    ]);
    const silent = await serveTasks({ document: { maxAge: 'api' } });
    expect([await silent.nameOf('Task(1)'), await silent.nameOf('Task(1)')]).toStrictEqual([
      'state 1',
      'state 2',
    ]);
  });

  it('keeps a body that the API has said to be unchanged (RFC 9111, 4.3.4)', async () => {
    const {
      nameOf,
      fetch: ask,
      calls,
    } = await serveTasks({ document: { maxAge: 'api' } }, ({ headers }, reply) => {
      const fields = { etag: '"a"', 'content-type': 'application/json' };
      if (headers['if-none-match'] === '"a"')
        reply.send(304, '', { ...fields, 'cache-control': 'max-age=60' });
      else reply.send(200, '{"id":1,"name":"state 1"}', fields);
    });
    await nameOf('Task(1)');
    expect((await ask('/odata/Task(1)')).headers.get('cache-control')).toMatch(/max-age=(59|60)$/);
    expect(await nameOf('Task(1)')).toBe('state 1');
    expect(calls()).toHaveLength(2);
  });

  it('keeps nothing with KEPT_MIB=0', async () => {
    const { nameOf } = await serveTasks({ document: FIVE_MINUTES }, countingApi(), { KEPT_MIB: '0' });
    expect([await nameOf('Task(1)'), await nameOf('Task(1)')]).toStrictEqual(['state 1', 'state 2']);
  });
});

it('shows 50 users with keys of their own what is theirs', async () => {
  const upstream = await startStandInUpstream(({ target, headers }, reply) => {
    const entity = { id: 1, name: `task of ${headers['x-key']}` };
    reply.json(target === '/tasks' ? [entity] : entity);
  });
  onTestFinished(() => upstream.close());
  const openapi = { source: './tasks.json', endpoint: upstream.url };
  const project = createProject({
    '.meshrc.yaml': JSON.stringify({ sources: [{ name: 'Tasks', handler: { openapi } }] }),
    'credentials.yaml': JSON.stringify({ Tasks: { userKey: { header: 'X-Key' } } }),
    'tasks.json': JSON.stringify(documentWith({ document: FIVE_MINUTES })),
  });
  const environment = { ...ACCESS, DATABASE_URL: project.path('accounts.sqlite') };
  const scene = asking((await serveProject(project, environment)).gateway);
  const users: { readonly name: string; readonly headers: Record<string, string> }[] = [];
  for (let number = 0; number < 50; number += 1) {
    const name = `user${number}`;
    const headers = bearer((await signUp(scene, `${name}@example.com`)).session);
    await scene.fetch('/api/auth/upstream-keys/Tasks', {
      method: 'PUT',
      body: JSON.stringify({ key: name }),
      headers: { ...headers, 'content-type': 'application/json' },
    });
    users.push({ name, headers });
  }
  for (let round = 0; round < 2; round += 1) {
    const found = await Promise.all(
      users.flatMap(({ headers }) =>
        ['Task(1)', 'Task'].map(async (path) => JSON.stringify(await scene.get(path, headers))),
      ),
    );
    const expected = users.flatMap(({ name }) => Array(2).fill(`task of ${name}`));
    expect(found.map((text) => /task of \w+/.exec(text)?.[0])).toStrictEqual(expected);
  }
  expect(upstream.requests).toHaveLength(100);
}, 60_000);

it('keeps answers within so many bytes, those that were used last', async () => {
  const kept = createKeptAnswers(10_000);
  const answer = { headers: {}, body: Buffer.alloc(3_000), madeAt: 0, freshUntil: 1 };
  for (const key of ['a', 'b']) await kept.keep('S', key, answer, 0);
  await kept.find('S', 'a');
  for (const key of ['c', 'd']) await kept.keep('S', key, answer, 0);
  await kept.keep('S', 'huge', { ...answer, body: Buffer.alloc(20_000) }, 0);
  const found = await Promise.all(['a', 'b', 'c', 'd', 'huge'].map((key) => kept.find('S', key)));
  expect(found.map((each) => each !== undefined)).toStrictEqual([false, false, true, true, false]);
});
