import { describe, expect, it, onTestFinished } from 'vitest';
import { type Behaviour, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, serveProject } from '../support/temporary-project.ts';

const PAGES = 8;
const SIZE = 5;
const LIMIT = 10;
const WINDOW_MS = 1_000;

const TASK = { $ref: '#/components/schemas/Task' };
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
      },
    },
  },
};

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

/** The state of the window: the calls that are left, and its end. */
interface Window {
  readonly left: number;
  readonly end: number;
}

type Fields = (window: Window) => Readonly<Record<string, string>>;

const seconds = ({ end }: Window): string => String(Math.max(0, Math.ceil((end - Date.now()) / 1_000)));

const named =
  (
    prefix: string,
    reset: (window: Window) => string,
    others: Readonly<Record<string, string>> = {},
  ): Fields =>
  (window) => ({
    [`${prefix}-limit`]: String(LIMIT),
    [`${prefix}-remaining`]: String(window.left),
    [`${prefix}-reset`]: reset(window),
    ...others,
  });

const FORMS: Readonly<Record<string, Fields>> = {
  'structured fields': (window) => ({
    'ratelimit-policy': `"default";q=${LIMIT};w=1`,
    ratelimit: `"default";r=${window.left};t=${seconds(window)}`,
  }),
  'several policies': (window) => ({
    'ratelimit-policy': `"burst";q=${LIMIT};w=1, "hour";q=5000;w=3600`,
    ratelimit: `"burst";r=${window.left};t=${seconds(window)}, "hour";r=4000;t=1800`,
  }),
  'a policy alone': () => ({ 'ratelimit-policy': `"default";q=${LIMIT};w=1` }),
  'a dictionary': (window) => ({
    ratelimit: `limit=${LIMIT}, remaining=${window.left}, reset=${seconds(window)}`,
  }),
  'RateLimit-Limit and others': named('ratelimit', seconds),
  'RateLimit-Limit with policies': named('ratelimit', seconds, {
    'ratelimit-limit': `${LIMIT}, ${LIMIT};w=1`,
  }),
  'X-RateLimit with seconds': named('x-ratelimit', seconds),
  'X-RateLimit with a time in seconds': named('x-ratelimit', ({ end }) => String(Math.ceil(end / 1_000))),
  'X-RateLimit with a time in milliseconds': named('x-ratelimit', ({ end }) => String(end)),
  'X-RateLimit with a date': named('x-ratelimit', ({ end }) =>
    new Date(Math.ceil(end / 1_000) * 1_000).toUTCString(),
  ),
  'X-RateLimit of a resource': named('x-ratelimit', seconds, { 'x-ratelimit-resource': 'core' }),
  'X-RateLimit by period': (window) => ({
    'x-ratelimit-limit-second': String(LIMIT),
    'x-ratelimit-remaining-second': String(window.left),
  }),
  'X-Rate-Limit': named('x-rate-limit', seconds),
};

/** An API that takes so many calls in a window, and refuses others. */
function enforcing(fields: Fields, refusal: Fields = fields) {
  let [end, used] = [0, 0];
  const seen = { refused: 0 };
  const behaviour: Behaviour = ({ target }, reply) => {
    const now = Date.now();
    if (now >= end) [end, used] = [now + WINDOW_MS, 0];
    used += 1;
    const window = { left: Math.max(0, LIMIT - used), end };
    const json = { 'content-type': 'application/json' };
    if (used <= LIMIT) return reply.send(200, JSON.stringify(bodyOf(target)), { ...json, ...fields(window) });
    seen.refused += 1;
    return reply.send(429, '{}', { ...json, ...refusal(window) });
  };
  return { behaviour, seen };
}

async function serveTasks(behaviour: Behaviour) {
  const upstream = await startStandInUpstream(behaviour);
  onTestFinished(() => upstream.close());
  const openapi = { source: './tasks.json', endpoint: upstream.url };
  const project = createProject({
    '.meshrc.yaml': JSON.stringify({ sources: [{ name: 'Tasks', handler: { openapi } }] }),
    'tasks.json': JSON.stringify(DOCUMENT),
  });
  const { gateway } = await serveProject(project);
  return async (path: string): Promise<number> => {
    const response = await fetch(`${gateway.url}/odata/${path}`);
    await response.text();
    return response.status;
  };
}

const ALL = [
  'Task?$orderby=Name',
  ...Array.from({ length: 12 }, (_, index) => `Task(${index + 2})`),
] as const;

describe('an API that states its limit by', () => {
  it.each(Object.entries(FORMS))('%s refuses no call once that is known', async (_, fields) => {
    const { behaviour, seen } = enforcing(fields);
    const ask = await serveTasks(behaviour);
    await ask('Task(1)');
    const statuses = await Promise.all(ALL.map(ask));
    expect([statuses, seen.refused]).toStrictEqual([Array(ALL.length).fill(200), 0]);
  });

  it('Retry-After alone is left in peace until then, and refuses no client', async () => {
    const { behaviour, seen } = enforcing(
      () => ({}),
      ({ end }) => ({ 'retry-after': String(Math.max(1, Math.ceil((end - Date.now()) / 1_000))) }),
    );
    const ask = await serveTasks(behaviour);
    for (let calls = 0; calls <= LIMIT; calls += 1) await ask('Task(1)');
    const refused = seen.refused;
    expect(refused).toBe(1);
    await Promise.all(ALL.slice(1, 5).map(ask));
    expect(seen.refused).toBe(refused);
  });
});
