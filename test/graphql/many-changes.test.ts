import { beforeEach, describe, expect, it } from 'vitest';
import { type ServedDocument, serveDocument } from '../openapi/served-document.ts';

const ref = '{ $ref: "#/components/schemas/Task" }';
const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const ok = (schema: string) => `responses: { "200": { description: x, ${json(schema)} } }`;
const ID = 'parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]';
const IF_MATCH = '{ name: If-Match, in: header, required: true, schema: { type: string } }';

/** Tasks, of which number 3 cannot be changed, and plans, whose changes have to name the state. */
const DOCUMENT = `
openapi: 3.1.0
info: { title: Tasks, version: '1' }
paths:
  /tasks:
    get: { ${ok(`{ type: array, items: ${ref} }`)} }
    post: { requestBody: { ${json(ref)} }, responses: { "201": { description: x, ${json(ref)} } } }
  /tasks/{id}:
    ${ID}
    get: { ${ok(ref)} }
    patch: { requestBody: { ${json(ref)} }, ${ok(ref)} }
    delete: { responses: { "204": { description: x } } }
  /plans: { get: { ${ok('{ type: array, items: { $ref: "#/components/schemas/Plan" } }')} } }
  /plans/{id}:
    ${ID}
    get: { ${ok('{ $ref: "#/components/schemas/Plan" }')} }
    patch: { parameters: [${IF_MATCH}], requestBody: { ${json('{ $ref: "#/components/schemas/Plan" }')} }, ${ok('{ $ref: "#/components/schemas/Plan" }')} }
    delete: { parameters: [${IF_MATCH}], responses: { "204": { description: x } } }
  /plans/{id}/steps: { ${ID}, get: { ${ok('{ type: array, items: { $ref: "#/components/schemas/Step" } }')} } }
components:
  schemas:
    Step: { type: object, required: [id], properties: { id: { type: integer } } }
    Task:
      type: object
      required: [id, title]
      properties: { id: { type: integer }, title: { type: string, maxLength: 5 }, done: { type: boolean } }
    Plan:
      type: object
      required: [id]
      x-odata: { etag: version }
      properties: { id: { type: integer }, title: { type: string }, version: { type: integer } }
`;

const task = (id: number, title: string, done = false) => ({ id, title, done });
const TASKS = [task(1, 'Mow'), task(2, 'Dig'), task(3, 'Sow'), task(4, 'Rest', true)];
const byId = Object.fromEntries(TASKS.map((each) => [`GET /tasks/${each.id}`, each]));
const patched = (each: object) => (sent: object) => ({ ...each, ...sent });

let served: ServedDocument;
beforeEach(async () => {
  served = await serveDocument(DOCUMENT, {
    'GET /tasks': TASKS,
    ...byId,
    'POST /tasks': (sent: { id: number }) => sent,
    'PATCH /tasks/1': patched(TASKS[0] ?? {}),
    'PATCH /tasks/2': patched(TASKS[1] ?? {}),
    'DELETE /tasks/1': {},
    'DELETE /tasks/2': {},
    'GET /plans': [{ id: 1, title: 'A', version: 5 }],
    'GET /plans/1': { id: 1, title: 'A', version: 5 },
    'PATCH /plans/1': { id: 1, title: 'B', version: 6 },
    'DELETE /plans/1': {},
  });
});
const sent = () =>
  served.requests
    .filter(({ method }) => method !== 'GET')
    .map(({ method, target, body }) => `${method} ${target} ${body.toString()}`.trimEnd());

describe('createTasks', () => {
  it('creates several', async () => {
    expect(
      await served.query(
        'mutation { createTasks(input: [{ id: 8, title: "A" }, { id: 9, title: "B" }]) { id title } }',
      ),
    ).toStrictEqual({
      data: {
        createTasks: [
          { id: '8', title: 'A' },
          { id: '9', title: 'B' },
        ],
      },
    });
    expect(sent()).toStrictEqual(['POST /tasks {"id":8,"title":"A"}', 'POST /tasks {"id":9,"title":"B"}']);
  });

  it('creates none if one of them is wrong', async () => {
    expect(
      await served.query(
        'mutation { createTasks(input: [{ id: 8, title: "A" }, { id: 9, title: "Too long" }]) { id } }',
      ),
    ).toMatchObject({
      data: { createTasks: null },
      errors: [{ path: ['createTasks'], extensions: { details: [{ target: 'input.1.title' }] } }],
    });
    expect(sent()).toStrictEqual([]);
  });
});

describe('updateTasks', () => {
  const UPDATE =
    'mutation ($where: TaskFilter!, $set: TaskChanges!, $dryRun: Boolean, $limit: Int) { updateTasks(where: $where, set: $set, dryRun: $dryRun, limit: $limit) { count nodes { nodeId ... on Task { id } } } }';
  const set = { done: true };

  it('changes those that meet the conditions', async () => {
    const where = { id: { in: ['1', '2'] } };
    expect(await served.query(UPDATE, { where, set })).toMatchObject({
      data: { updateTasks: { count: 2, nodes: [{ id: '1' }, { id: '2' }] } },
    });
    expect(sent()).toStrictEqual(['PATCH /tasks/1 {"done":true}', 'PATCH /tasks/2 {"done":true}']);
  });

  it('counts them, and changes nothing, with dryRun', async () => {
    const where = { done: { eq: false } };
    expect(await served.query(UPDATE, { where, set, dryRun: true })).toMatchObject({
      data: { updateTasks: { count: 3 } },
    });
    expect(sent()).toStrictEqual([]);
  });

  it('changes none if there are more than the limit', async () => {
    expect(await served.query(UPDATE, { where: {}, set, limit: 3 })).toMatchObject({
      data: { updateTasks: null },
      errors: [
        {
          message: 'limit: expected at most 3 entities that meet the conditions, found more.',
          extensions: { code: 'BadRequest', http: { status: 400 } },
        },
      ],
    });
    expect(sent()).toStrictEqual([]);
  });

  it('counts what it has changed, even if that cannot be read again', async () => {
    const update = `mutation { updatePlans(where: {}, set: { title: "B" }) { count nodes { ... on Plan { steps { id } } } } }`;
    expect(await served.query(update)).toMatchObject({
      data: { updatePlans: { count: 1, nodes: null } },
      errors: [{ path: ['updatePlans', 'nodes'] }],
    });
    expect(sent()).toStrictEqual(['PATCH /plans/1 {"title":"B"}']);
  });

  it('changes none if one fails, and takes back what was done', async () => {
    const { data, errors } = (await served.query(UPDATE, { where: { done: { eq: false } }, set })) as {
      data: unknown;
      errors: readonly { extensions: { details: unknown } }[];
    };
    expect([data, errors[0]?.extensions.details]).toStrictEqual([
      { updateTasks: null },
      [
        { code: 'FailedDependency', message: '"Task(2)": it is as it was before.', target: 'Task(2)' },
        { code: 'FailedDependency', message: '"Task(1)": it is as it was before.', target: 'Task(1)' },
      ],
    ]);
    expect(sent()).toStrictEqual([
      'PATCH /tasks/1 {"done":true}',
      'PATCH /tasks/2 {"done":true}',
      'PATCH /tasks/3 {"done":true}',
      'PATCH /tasks/2 {"done":false}',
      'PATCH /tasks/1 {"done":false}',
    ]);
  });
});

describe('deleteTasks', () => {
  it('deletes those that meet the conditions, and takes it back if one cannot be deleted', async () => {
    expect(
      await served.query('mutation { deleteTasks(where: { title: { in: ["Mow", "Dig"] } }) }'),
    ).toStrictEqual({
      data: { deleteTasks: 2 },
    });
    expect(sent()).toStrictEqual(['DELETE /tasks/1', 'DELETE /tasks/2']);
    expect(
      await served.query(
        'mutation { deleteTasks(where: { id: { lte: "3" }, done: { eq: false } }, limit: 5) }',
      ),
    ).toMatchObject({
      data: { deleteTasks: null },
      errors: [
        {
          extensions: {
            details: [
              { message: '"Task(2)": it is created again.' },
              { message: '"Task(1)": it is created again.' },
            ],
          },
        },
      ],
    });
    expect(sent().slice(2)).toStrictEqual([
      'DELETE /tasks/1',
      'DELETE /tasks/2',
      'DELETE /tasks/3',
      'POST /tasks {"id":2,"title":"Dig","done":false}',
      'POST /tasks {"id":1,"title":"Mow","done":false}',
    ]);
  });
});

describe('the entity tag', () => {
  it('is readable, and demanded where the API demands it', async () => {
    expect(
      await served.query('{ plans { etag } plan(id: 1) { etag } plansConnection { nodes { etag } } }'),
    ).toStrictEqual({
      data: {
        plans: [{ etag: 'W/"5"' }],
        plan: { etag: 'W/"5"' },
        plansConnection: { nodes: [{ etag: 'W/"5"' }] },
      },
    });
    expect(
      await served.query('mutation { updatePlan(id: 1, input: { title: "B" }) { etag } }'),
    ).toMatchObject({
      errors: [
        {
          message:
            'Field "updatePlan" argument "ifMatch" of type "String!" is required, but it was not provided.',
        },
      ],
    });
    expect(
      await served.query(
        'mutation { updatePlan(id: 1, ifMatch: "W/\\"5\\"", input: { title: "B" }) { etag } }',
      ),
    ).toStrictEqual({ data: { updatePlan: { etag: 'W/"6"' } } });
    expect(await served.query('mutation { deletePlan(id: 1, ifMatch: "W/\\"4\\"") }')).toMatchObject({
      errors: [{ extensions: { code: 'PreconditionFailed' } }],
    });
  });

  it('of the state that was found is the condition of a change of several', async () => {
    expect(
      await served.query('mutation { updatePlans(where: {}, set: { title: "B" }) { count } }'),
    ).toStrictEqual({
      data: { updatePlans: { count: 1 } },
    });
    expect(
      await served.query('mutation { updatePlan(id: 7, ifMatch: "*", input: { title: "B" }) { id } }'),
    ).toMatchObject({
      errors: [{ message: 'There is no Plan(7).', extensions: { code: 'NotFound' } }],
    });
  });
});

it('changes of several are limited for the whole document, and keep what those before have answered', async () => {
  const limited = await serveDocument(
    DOCUMENT,
    { 'POST /tasks': (sent: object) => sent, 'GET /tasks': TASKS },
    undefined,
    { BATCH_REQUESTS: '2' },
  );
  const create = (id: number) => `createTasks(input: [{ id: ${id}, title: "A" }]) { id }`;
  const remove = 'deleteTasks(where: { title: { eq: "Mow" } })';
  expect(
    await limited.query(`mutation { a: ${create(8)} b: ${create(9)} c: ${create(10)} d: ${remove} }`),
  ).toMatchObject({
    data: { a: [{ id: '8' }], b: [{ id: '9' }], c: null, d: null },
    errors: [
      { message: 'input: expected at most 2 entities (BATCH_REQUESTS), found 3.', path: ['c'] },
      { message: 'where: expected at most 2 entities (BATCH_REQUESTS), found 3.', path: ['d'] },
    ],
  });
  expect(limited.requests.filter(({ method }) => method !== 'GET')).toHaveLength(2);
});

it('changes need no alias of those that are counted', async () => {
  const changes = Array.from({ length: 20 }, (_, index) => `c${index}: deleteTask(id: 1)`);
  expect(await served.query(`mutation { ${changes.join(' ')} }`)).not.toHaveProperty('errors');
  const reads = Array.from({ length: 16 }, (_, index) => `t${index}: title`);
  expect(await served.query(`mutation { a: createTasks(input: []) { ${reads.join(' ')} } }`)).toMatchObject({
    errors: [{ extensions: { limit: 'GRAPHQL_ALIASES' } }],
  });
});
