import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, sourceOf } from '../support/temporary-project.ts';
import { serveRegistry } from './registry-gateway.ts';

interface Read {
  readonly target: string;
  readonly path: string;
  readonly looksLikeList: boolean;
  readonly isLearnt: boolean;
}

interface Action {
  readonly target: string;
  readonly description: string;
  readonly update: unknown;
}

interface Learnt {
  readonly reads: readonly { readonly path: string; readonly outcome: string }[];
  readonly actions: readonly Action[];
  readonly difference: readonly string[];
  readonly tables: readonly {
    readonly name: string;
    readonly before: unknown;
    readonly after: {
      readonly key: readonly string[];
      readonly columns: Readonly<Record<string, string>>;
    } | null;
  }[];
  readonly changes: readonly { readonly kind: string; readonly message: string }[];
}

/** A project of a document in the style of a generator, before an API that answers with these. */
async function serveLearning(
  document: string,
  answers: Readonly<Record<string, unknown>>,
  file = 'openapi/api.yaml',
) {
  const upstream = await startStandInUpstream(({ method, target }, reply) => {
    const answer = answers[`${method} ${target}`];
    if (answer === undefined) return reply.send(404);
    if (typeof answer === 'string') return reply.send(200, answer);
    reply.json(answer);
  });
  onTestFinished(() => upstream.close());
  const project = createProject({
    [file]: document,
    '.meshrc.yaml': `sources:\n${sourceOf('Test', `./${file}`, upstream.url, HEADERS)}`,
  });
  const gateway = await serveRegistry(project);
  const reads = async () => {
    const { body } = await gateway.ask('GET', '/Test/learnable');
    return (body as unknown as { readonly reads: readonly Read[] }).reads;
  };
  return {
    upstream,
    gateway,
    project,
    reads,
    learn: async () => {
      const targets = (await reads()).map(({ target }) => target);
      const { status, body } = await gateway.ask('POST', '/Test/learn', { reads: targets });
      expect(status).toBe(200);
      return body as unknown as Learnt;
    },
    accept: (actions: readonly Action[], confirm: readonly string[] = []) =>
      gateway.ask('POST', '/Test/accept', { actions, confirm }),
    overlay: () => readFileSync(project.path('openapi/api.overlay.yaml'), 'utf8'),
    rows: async (set: string) => {
      const response = await fetch(`${gateway.gateway.url}/odata/${set}`);
      const body: { readonly value?: unknown } = await response.json();
      return body.value ?? [response.status, body];
    },
  };
}

const HEADERS = { authorization: 'Bearer t0ken' };

function generated(name: string): string {
  return readFileSync(join(import.meta.dirname, '../openapi/generated', `${name}.yaml`), 'utf8');
}

const UUID = '6f1c0a52-6a1b-4a8e-9a55-0d7f6a1b2c3d';

/** The document, the answers of its API, and the rows of each set that are served after learning. */
const DOCUMENTS: readonly (readonly [
  name: string,
  answers: Readonly<Record<string, unknown>>,
  sets: Readonly<Record<string, readonly unknown[]>>,
])[] = [
  [
    'nest-plain',
    {
      'GET /users': [{ id: 1, email: 'a@x.org', roleId: 2 }],
      'GET /users/1': { id: 1, email: 'a@x.org', roleId: 2 },
      'GET /roles': [{ id: 2, name: 'Admin' }],
    },
    { Role: [{ Id: 2, Name: 'Admin' }] },
  ],
  [
    'nest-crud',
    {
      'GET /api/v1/customers': { data: [{ customerId: 5, name: 'Ann', since: '2024-01-01' }], total: 1 },
      'GET /api/v1/customers/5': { customerId: 5, name: 'Ann', since: '2024-01-01' },
      'GET /api/v1/orders': [{ id: 9000000000, status: 'open', total: 9.5 }],
      'GET /api/v1/auth/profile': { id: 1, roles: ['x'] },
    },
    {
      Customer: [{ CustomerId: 5, Name: 'Ann', Since: '2024-01-01' }],
      Order: [{ Id: 9000000000, Status: 'open', Total: 9.5 }],
    },
  ],
  [
    'springdoc-entity',
    {
      'GET /employees': [{ id: 1, name: 'Bo', role: 'cook' }],
      'GET /employees/1': { id: 1, name: 'Bo', role: 'cook' },
      'GET /departments': [{ code: 'K', name: 'Kitchen' }],
    },
    { Employee: [{ Id: 1, Name: 'Bo', Role: 'cook' }], Department: [{ Code: 'K', Name: 'Kitchen' }] },
  ],
  [
    'swashbuckle-actions',
    {
      'GET /api/Vehicles': [{ id: 3, plate: 'M-X 1', mileage: 10 }],
      'GET /api/Vehicles/3': { id: 3, plate: 'M-X 1', mileage: 10 },
      'GET /api/Drivers': [{ driverId: UUID, name: 'Cy' }],
    },
    { Vehicle: [{ Id: 3, Plate: 'M-X 1', Mileage: 10 }], Driver: [{ DriverId: UUID, Name: 'Cy' }] },
  ],
  [
    'laravel-l5',
    {
      'GET /posts': {
        data: [{ id: 1, title: 'T', created_at: '2024-01-02T03:04:05Z' }],
        links: {},
        meta: {},
      },
      'GET /posts/1': { data: { id: 1, title: 'T', created_at: '2024-01-02T03:04:05Z' } },
      'GET /comments': { data: [{ id: 7, body: 'B' }] },
    },
    { Post: [{ Id: 1, Title: 'T', CreatedAt: '2024-01-02T03:04:05Z' }], Comment: [{ Id: 7, Body: 'B' }] },
  ],
  [
    'drf-apiview',
    {
      'GET /api/v1/devices/': [{ id: UUID, name: 'D' }],
      [`GET /api/v1/devices/${UUID}/`]: { id: UUID, name: 'D' },
      'GET /api/v1/readings/': {
        count: 1,
        next: null,
        previous: null,
        results: [{ at: '2024-01-01', value: 1.5 }],
      },
    },
    { Device: [{ Id: UUID, Name: 'D' }] },
  ],
  [
    'rswag-default',
    {
      'GET /api/v1/authors': [{ id: 1, name: 'A' }],
      'GET /api/v1/authors/1': { id: 1, name: 'A' },
      'GET /api/v1/articles': [{ id: 2, title: 'R', author: { id: 1, name: 'A' } }],
    },
    { Author: [{ Id: 1, Name: 'A' }], Article: [{ Id: 2, Title: 'R', Author: { Id: 1, Name: 'A' } }] },
  ],
  [
    'swag-any',
    {
      'GET /machines': [{ id: 1, name: 'M', hours: 12.5 }],
      'GET /machines/1': { id: 1, name: 'M', hours: 12.5 },
      'GET /jobs': [{ id: 4, machine_id: 1, done: false }],
    },
    { Machine: [{ Id: 1, Name: 'M', Hours: 12.5 }], Job: [{ Id: 4, MachineId: 1, Done: false }] },
  ],
  [
    'strapi-any',
    {
      'GET /restaurants': { data: [{ id: 1, name: 'R' }], meta: { pagination: { page: 1, total: 1 } } },
      'GET /restaurants/1': { data: { id: 1, name: 'R' }, meta: {} },
      'GET /categories': { data: [{ id: 2, name: 'C' }], meta: {} },
    },
    { Restaurant: [{ Id: 1, Name: 'R' }], Category: [{ Id: 2, Name: 'C' }] },
  ],
  [
    'express-plain',
    {
      'GET /users': [{ _id: 'u1', name: 'U', age: 4 }],
      'GET /users/u1': { _id: 'u1', name: 'U', age: 4 },
      'GET /products': { products: [{ _id: 'p1', price: 2 }] },
    },
    { User: [{ Id: 'u1', Name: 'U', Age: 4 }], Product: [{ Id: 'p1', Price: 2 }] },
  ],
  [
    'fastapi-untyped',
    {
      'GET /tasks': [{ id: 't1', title: 'T', done: false, due: null }],
      'GET /tasks/t1': { id: 't1', title: 'T', done: false, due: null },
      'GET /projects': [{ id: 1, name: 'P' }],
    },
    { Task: [{ Id: 't1', Title: 'T', Done: false, Due: null }] },
  ],
];

describe('a document that does not say what it answers with', () => {
  it.each(DOCUMENTS)('gets the tables of what its API answers with: %s', async (name, answers, sets) => {
    const { learn, accept, rows, overlay, upstream } = await serveLearning(generated(name), answers);
    const learnt = await learn();
    expect(learnt.reads.filter(({ outcome }) => outcome !== 'learnt')).toStrictEqual([]);
    expect(upstream.requests.every(({ method }) => method === 'GET')).toBe(true);
    const messages = learnt.changes.filter(({ kind }) => kind === 'breaking').map(({ message }) => message);
    const accepted = await accept(learnt.actions, messages);
    expect([accepted.status, accepted.body.error?.message]).toStrictEqual([200, undefined]);
    for (const [set, expected] of Object.entries(sets))
      expect([set, await rows(set)]).toStrictEqual([set, expected]);
    const values =
      JSON.stringify(Object.values(answers)).match(/"[^"]*@[^"]*"|\d{4}-\d\d-\d\d[^"]*|[\da-f-]{36}/g) ?? [];
    for (const value of values) expect(overlay()).not.toContain(value.replaceAll('"', ''));
    expect((await learn()).actions).toStrictEqual([]);
  });
});

describe('learning', () => {
  const NEST = generated('nest-plain');
  const ROLES = { 'GET /roles': [{ id: 2, name: 'Admin' }] };

  it('lists what can be learnt without a call, and stores nothing until it is accepted', async () => {
    const { reads, learn, project, upstream, rows } = await serveLearning(NEST, ROLES);
    expect(
      (await reads()).map(({ path, looksLikeList, isLearnt }) => [path, looksLikeList, isLearnt]),
    ).toStrictEqual([
      ['/users', true, false],
      ['/users/{id}', false, false],
      ['/roles', true, false],
    ]);
    expect(upstream.requests).toStrictEqual([]);
    const learnt = await learn();
    expect(learnt.reads).toStrictEqual([
      { path: '/users', outcome: 'not learnt: the API answered with the status 404' },
      { path: '/roles', outcome: 'learnt' },
      { path: '/users/{id}', outcome: 'not called: no list has a key for it' },
    ]);
    expect(learnt.tables).toStrictEqual([
      { name: 'Role', before: null, after: { key: ['Id'], columns: { Id: 'Int64', Name: 'String' } } },
    ]);
    expect(learnt.difference.every((line) => line.startsWith('+ '))).toBe(true);
    expect(existsSync(project.path('openapi/api.overlay.yaml'))).toBe(false);
    expect(await rows('Role')).toMatchObject([404, {}]);
  });

  it('widens what it has learnt, and never narrows it', async () => {
    const answers: Record<string, unknown> = { ...ROLES };
    const { learn, accept, overlay } = await serveLearning(NEST, answers);
    await accept((await learn()).actions);
    answers['GET /roles'] = [{ id: 2, rank: 1.5, name: null }];
    const wider = await learn();
    expect(wider.difference.some((line) => line.startsWith('- '))).toBe(true);
    expect(wider.tables).toMatchObject([
      { after: { columns: { Id: 'Int64', Name: 'String', Rank: 'Double' } } },
    ]);
    await accept(wider.actions);
    const text = overlay();
    answers['GET /roles'] = [{ id: 3 }];
    expect((await learn()).actions).toStrictEqual([]);
    expect(overlay()).toBe(text);
  });

  it('sends the credentials of the project, and no request that changes anything', async () => {
    const { learn, upstream } = await serveLearning(NEST, ROLES);
    await learn();
    expect([...new Set(upstream.requests.map(({ method }) => method))]).toStrictEqual(['GET']);
    expect(upstream.requests.map(({ headers }) => headers['authorization'])).toStrictEqual(
      upstream.requests.map(() => HEADERS.authorization),
    );
  });

  it.each<[string, unknown, string]>([
    ['HTML', '<html><body>Sign in</body></html>', 'not learnt: the answer is no JSON'],
    ['a number', '7', 'not learnt: the answer is neither a list nor an object'],
    [
      '10,000 columns',
      [Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`c${at}`, at]))],
      'learnt',
    ],
    ['a name that is no property', '[{"__proto__": {"a": 1}, "constructor": 1, "id": 1}]', 'learnt'],
    ['a row of 10 MB', [{ id: 1, text: 'x'.repeat(10_000_000) }], 'learnt'],
    ['rows of several types', [{ id: 1, a: 1 }, { id: 'x', a: {} }, 7, [null]], 'learnt'],
    ['values nested without end', '['.repeat(100_000) + ']'.repeat(100_000), 'learnt'],
    [
      'columns of columns',
      [
        Object.fromEntries(
          Array.from({ length: 400 }, (_, at) => [
            `a${at}`,
            Object.fromEntries(Array.from({ length: 400 }, (__, of) => [`b${of}`, of])),
          ]),
        ),
      ],
      'learnt',
    ],
    ['nothing', [], 'learnt'],
  ])('is not harmed by %s', async (_, answer, expected) => {
    const { learn, accept, gateway } = await serveLearning(NEST, { 'GET /roles': answer });
    const learnt = await learn();
    expect(learnt.reads).toContainEqual({ path: '/roles', outcome: expected });
    expect(JSON.stringify(learnt).length).toBeLessThan(2_000_000);
    if (learnt.actions.length > 0) expect((await accept(learnt.actions)).status).toBe(200);
    expect((await fetch(`${gateway.gateway.url}/odata/$metadata`)).status).toBe(200);
    expect(Object.hasOwn(Object.prototype, 'a')).toBe(false);
  });

  it('reads an answer without end to its limit only', async () => {
    const upstream = await startStandInUpstream(({ closed }, reply) => {
      let isOpen = true;
      void closed.then(() => {
        isOpen = false;
      });
      reply.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n[');
      const more = () => {
        reply.write(`{"id":1},${' '.repeat(1_000_000)}`);
        if (isOpen) setImmediate(more);
      };
      more();
    });
    onTestFinished(() => upstream.close());
    const project = createProject({
      'openapi/api.yaml': NEST,
      '.meshrc.yaml': `sources:\n${sourceOf('Test', './openapi/api.yaml', upstream.url)}`,
    });
    const { ask } = await serveRegistry(project);
    const { body } = await ask('POST', '/Test/learn', { reads: ["$.paths['/roles'].get"] });
    const [read] = (body as unknown as Learnt).reads;
    expect(read?.outcome).toMatch(/^not learnt: /);
  });

  it('changes no document outside of the folder of the registry', async () => {
    const { reads, gateway, project } = await serveLearning(NEST, ROLES, 'api.yaml');
    const targets = (await reads()).map(({ target }) => target);
    const { status, body } = await gateway.ask('POST', '/Test/learn', { reads: targets });
    expect([status, body.error.message]).toStrictEqual([
      403,
      'The document is api.yaml: only those in openapi/ can be changed here.',
    ]);
    expect(existsSync(project.path('api.overlay.yaml'))).toBe(false);
  });

  it('accepts no action that does not apply, and asks before one that takes something away', async () => {
    const { accept, learn, project } = await serveLearning(NEST, ROLES);
    const action = { target: "$.paths['/nothing']", description: 'x', update: {} };
    expect((await accept([action])).status).toBe(400);
    expect(existsSync(project.path('openapi/api.overlay.yaml'))).toBe(false);
    await accept((await learn()).actions);
    const removal = { target: "$.paths['/roles'].get", description: 'y', update: { 'x-odata': false } };
    const refused = await accept([{ ...removal, update: { responses: { 200: { content: null } } } }]);
    expect([200, 400, 409]).toContain(refused.status);
  });
});
