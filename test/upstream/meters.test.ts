import { describe, expect, it, onTestFinished } from 'vitest';
import { ACCESS, bearer, signUp } from '../auth/account-client.ts';
import { asking } from '../mesh/upstream-credentials/notes-scene.ts';
import { type Behaviour, type StandInUpstream, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, serveProject } from '../support/temporary-project.ts';

const PAGES = 8;
const SIZE = 5;

const query = (name: string, schema: object) => ({ name, in: 'query', schema });
const responses = (schema: object) => ({
  200: { description: 'OK', content: { 'application/json': { schema } } },
});
const TASK = { $ref: '#/components/schemas/Task' };

function document(settings: object): object {
  return {
    openapi: '3.1.0',
    info: { title: 'Tasks', version: '1' },
    'x-odata': settings,
    paths: {
      '/tasks': {
        get: {
          operationId: 'tasks',
          parameters: [
            query('page', { type: 'integer', minimum: 1, default: 1 }),
            query('per_page', { type: 'integer', maximum: SIZE, default: SIZE }),
          ],
          responses: responses({
            type: 'object',
            required: ['items', 'total'],
            properties: { items: { type: 'array', items: TASK }, total: { type: 'integer' } },
          }),
        },
      },
      '/tasks/{id}': {
        get: {
          operationId: 'task',
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
          responses: responses(TASK),
        },
      },
    },
    components: {
      schemas: {
        Task: {
          type: 'object',
          required: ['id'],
          properties: { id: { type: 'integer' }, name: { type: 'string' } },
          'x-odata': { grants: { User: ['View'] } },
        },
      },
    },
  };
}

const answerTo: Behaviour = ({ target }, reply) => reply.json(bodyOf(target));

function bodyOf(target: string): object {
  const { pathname, searchParams } = new URL(target, 'http://api');
  const [, id] = /^\/tasks\/(\d+)$/.exec(pathname) ?? [];
  if (id !== undefined) return { id: Number(id), name: 'a task' };
  const first = (Number(searchParams.get('page') ?? 1) - 1) * SIZE;
  const items = Array.from({ length: first >= PAGES * SIZE ? 0 : SIZE }, (_, index) => ({
    id: first + index + 1,
  }));
  return { items, total: PAGES * SIZE };
}

interface Scene {
  readonly upstream: StandInUpstream;
  usage(): Promise<unknown>;
  /** Status, Retry-After and code of the error. */
  ask(path: string): Promise<readonly [number, string | null, unknown]>;
}

async function serveTasks(
  behaviour: Behaviour,
  settings: object = {},
  environment: Readonly<Record<string, string>> = {},
): Promise<Scene> {
  const upstream = await startStandInUpstream(behaviour);
  onTestFinished(() => upstream.close());
  const openapi = { source: './tasks.json', endpoint: upstream.url };
  const project = createProject({
    '.meshrc.yaml': JSON.stringify({ sources: [{ name: 'Tasks', handler: { openapi } }] }),
    'tasks.json': JSON.stringify(document(settings)),
  });
  const { gateway } = await serveProject(project, environment);
  return {
    upstream,
    usage: async () => (await fetch(`${gateway.url}/api/registry/Tasks/usage`)).json(),
    async ask(path) {
      const response = await fetch(`${gateway.url}/odata/${path}`);
      const text = await response.text();
      const error = response.ok ? undefined : JSON.parse(text).error;
      return [response.status, response.headers.get('retry-after'), error];
    },
  };
}

const THROTTLED = {
  code: 'UpstreamThrottled',
  message: 'The upstream service accepts no more requests at the moment.',
};

/** An API with so many calls in each window, which refuses further ones; it counts those. */
function windowed(limit: number, windowMs: number) {
  let [end, used] = [0, 0];
  const seen = { refused: 0 };
  const behaviour: Behaviour = (request, reply) => {
    const now = Date.now();
    if (now >= end) [end, used] = [now + windowMs, 0];
    used += 1;
    const headers = {
      'content-type': 'application/json',
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(Math.max(0, limit - used)),
      'x-ratelimit-reset': String(end),
    };
    if (used <= limit) return reply.send(200, JSON.stringify(bodyOf(request.target)), headers);
    seen.refused += 1;
    return reply.send(429, '{}', headers);
  };
  return { behaviour, seen };
}

describe('an API that says how many calls it takes', () => {
  it('refuses none of many at once, be they of lists or by key', async () => {
    const { behaviour, seen } = windowed(5, 150);
    const { ask, upstream } = await serveTasks(behaviour);
    await ask('Task(1)');
    const all = await Promise.all([
      ask('Task?$orderby=Name'),
      ...Array.from({ length: 20 }, (_, index) => ask(`Task(${index + 2})`)),
    ]);
    expect(all.map(([status]) => status)).toStrictEqual(Array(21).fill(200));
    expect([upstream.requests.length, seen.refused]).toStrictEqual([1 + PAGES + 20, 0]);
  });

  it('is not called when its limit is used up for long, and the client learns when to ask again', async () => {
    const headers = {
      'content-type': 'application/json',
      'ratelimit-policy': '"a";q=2;w=60',
      ratelimit: '"a";r=0;t=60',
    };
    const { ask, upstream } = await serveTasks(({ target }, reply) =>
      reply.send(200, JSON.stringify(bodyOf(target)), headers),
    );
    expect(await ask('Task(1)')).toStrictEqual([200, null, undefined]);
    expect(await ask('Task(2)')).toStrictEqual([503, '60', THROTTLED]);
    expect(upstream.requests).toHaveLength(1);
  });

  it('is not called before the time that it names in a refusal (RFC 9110, 10.2.3)', async () => {
    const { ask, upstream } = await serveTasks((_, reply) => reply.send(429, '{}', { 'retry-after': '120' }));
    expect(await ask('Task(1)')).toStrictEqual([503, '120', THROTTLED]);
    expect(await ask('Task')).toStrictEqual([503, '120', THROTTLED]);
    expect(upstream.requests).toHaveLength(1);
  });

  it.each<readonly [string, number, Readonly<Record<string, string>>]>([
    ['Retry-After', 429, { 'retry-after': '999999999' }],
    ['Retry-After as a date', 429, { 'retry-after': 'Fri, 01 Jan 2100 00:00:00 GMT' }],
    ['RateLimit', 200, { ratelimit: '"a";r=0;t=999999999' }],
    ['X-RateLimit-Reset', 200, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '4102444800' }],
  ])('is taken at its word for an hour at most: %s', async (_, status, headers) => {
    const { ask, upstream } = await serveTasks(({ target }, reply) =>
      reply.send(status, JSON.stringify(bodyOf(target)), { 'content-type': 'application/json', ...headers }),
    );
    await ask('Task(1)');
    expect(await ask('Task(2)')).toStrictEqual([503, '3600', THROTTLED]);
    expect(upstream.requests).toHaveLength(1);
  });

  it('has each answer name other limits, of which few are remembered', async () => {
    let answers = 0;
    const { ask, usage } = await serveTasks(({ target }, reply) => {
      answers += 1;
      const headers = { 'content-type': 'application/json', ratelimit: `"limit ${answers}";r=999;t=60` };
      reply.send(200, JSON.stringify(bodyOf(target)), headers);
    });
    for (let id = 1; id <= 40; id += 1) expect((await ask(`Task(${id})`))[0]).toBe(200);
    expect(((await usage()) as { readonly limits: readonly unknown[] }).limits).toHaveLength(32);
  });

  it('refuses a list of very many pages, however many calls are left', async () => {
    const headers = {
      'content-type': 'application/json',
      'ratelimit-policy': '"a";q=11000;w=3600',
      ratelimit: '"a";r=11000;t=3600',
    };
    const { ask, upstream } = await serveTasks(({ target }, reply) =>
      reply.send(200, JSON.stringify({ ...bodyOf(target), total: 60_000 }), headers),
    );
    expect(await ask('Task?$orderby=Name&$top=5')).toStrictEqual([
      400,
      null,
      expect.objectContaining({ message: expect.stringContaining('11999 more pages, which take 3600 s') }),
    ]);
    expect(upstream.requests).toHaveLength(1);
  });

  it('is called for the other operations where the limit is of a resource', async () => {
    const { ask, upstream } = await serveTasks(({ target }, reply) => {
      const headers: Record<string, string> = { 'content-type': 'application/json' };
      if (target !== '/tasks/3') {
        headers['x-ratelimit-remaining'] = '0';
        headers['x-ratelimit-reset'] = '60';
        headers['x-ratelimit-resource'] = 'search';
      }
      reply.send(
        200,
        JSON.stringify(bodyOf(target.startsWith('/tasks/') ? target : '/tasks?page=9')),
        headers,
      );
    });
    await ask('Task');
    expect((await ask('Task'))[0]).toBe(503);
    expect((await ask('Task(3)'))[0]).toBe(200);
    expect(upstream.requests).toHaveLength(2);
  });

  it('has a read by key go before the rest of a list', async () => {
    let readAll: (() => void) | undefined;
    const held = new Promise<void>((resolve) => {
      readAll = resolve;
    });
    let left = 8;
    const { ask, upstream } = await serveTasks(async ({ target }, reply) => {
      left -= 1;
      const headers = {
        'content-type': 'application/json',
        'ratelimit-limit': '8',
        'ratelimit-remaining': String(Math.max(0, left)),
        'ratelimit-reset': '2',
      };
      reply.send(200, JSON.stringify(bodyOf(target)), headers);
      if (left === 2) readAll?.();
    });
    const list = ask('Task?$orderby=Name');
    await held;
    // Two calls are left until the end of the window: the rest of the list waits for it, a read by key does not.
    expect((await ask('Task(7)'))[0]).toBe(200);
    const targets = upstream.requests.map(({ target }) => target.split('?')[0]);
    expect(targets).toStrictEqual([...Array(6).fill('/tasks'), '/tasks/7']);
    left = 100;
    expect((await list)[0]).toBe(200);
  }, 30_000);
});

it('reports the calls of an API and what is left of its limits', async () => {
  const headers = {
    'content-type': 'application/json',
    ratelimit: '"a";r=7;t=60',
    'ratelimit-policy': '"a";q=9;w=60',
  };
  const { ask, usage } = await serveTasks(({ target }, reply) =>
    reply.send(200, JSON.stringify(bodyOf(target)), headers),
  );
  expect(await usage()).toStrictEqual({ limits: [], sets: [] });
  await ask('Task(1)');
  await ask('Task(2)');
  expect(await usage()).toStrictEqual({
    limits: [{ limit: 9, left: 7, resetSeconds: 60 }],
    sets: [{ name: 'Task', calls: 2, kept: 0 }],
  });
});

describe('x-odata.rate', () => {
  it('bounds the calls of an API that says nothing', async () => {
    const { ask, upstream } = await serveTasks(answerTo, { rate: '2/h' });
    expect([(await ask('Task(1)'))[0], (await ask('Task(2)'))[0]]).toStrictEqual([200, 200]);
    expect(await ask('Task(3)')).toStrictEqual([503, '3600', THROTTLED]);
    expect(upstream.requests).toHaveLength(2);
  });

  it('refuses a list whose pages cannot come in time, behind its first page, and then before it', async () => {
    const { ask, upstream } = await serveTasks(answerTo, { rate: '4/h' });
    const refusal = (pages: string, seconds: number) => [
      400,
      null,
      {
        code: 'BadRequest',
        message: `The list has ${pages}, which take ${seconds} s by the limits of the upstream service, longer than a list is given (PAGES_TIMEOUT_MS). Ask for a part of it, for example with $top.`,
      },
    ];
    expect(await ask('Task?$orderby=Name')).toStrictEqual(refusal('7 more pages', 3600));
    expect(upstream.requests).toHaveLength(1);
    expect(await ask('Task?$orderby=Name desc')).toStrictEqual(refusal('8 pages', 7200));
    expect(upstream.requests).toHaveLength(1);
  });
});

it('counts the calls of each user who has a key of their own', async () => {
  const used = new Map<string, number>();
  const upstream = await startStandInUpstream(({ target, headers }, reply) => {
    const user = headers['x-key'] ?? '';
    used.set(user, (used.get(user) ?? 0) + 1);
    const left = user === 'anna' ? '0' : '9';
    const fields = { 'content-type': 'application/json', ratelimit: `"a";r=${left};t=60` };
    reply.send(200, JSON.stringify(bodyOf(target)), fields);
  });
  onTestFinished(() => upstream.close());
  const openapi = { source: './tasks.json', endpoint: upstream.url };
  const project = createProject({
    '.meshrc.yaml': JSON.stringify({ sources: [{ name: 'Tasks', handler: { openapi } }] }),
    'credentials.yaml': JSON.stringify({ Tasks: { userKey: { header: 'X-Key' } } }),
    'tasks.json': JSON.stringify(document({})),
  });
  const environment = { ...ACCESS, DATABASE_URL: project.path('accounts.sqlite') };
  const scene = asking((await serveProject(project, environment)).gateway);
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
  const statusOf = async (headers: Record<string, string>) => (await scene.get('Task(1)', headers))[0];
  expect([await statusOf(anna), await statusOf(anna)]).toStrictEqual([200, 503]);
  expect([await statusOf(ben), await statusOf(ben)]).toStrictEqual([200, 200]);
  expect([...used]).toStrictEqual([
    ['anna', 1],
    ['ben', 2],
  ]);
});
