import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Principal } from '../../src/contract/principal.ts';
import { DEFAULT_REQUEST_LIMITS } from '../../src/core/request-limits.ts';
import { askGraphQL, type Faces, openFaces, requestOf, userWith } from '../auth/faces.ts';

/** As large documents have them. */
const TYPES = 400;

let faces: Faces;
beforeAll(async () => {
  const { budget } = DEFAULT_REQUEST_LIMITS;
  faces = await openFaces(
    'Large',
    document(),
    ({ target }, reply) => reply.json(target === '/things0' ? [{ id: 1 }] : { id: 1 }),
    // On a busy machine, the time of the request is not the work's alone.
    { budget: { ...budget, milliseconds: 600_000 } },
  );
}, 60_000);
afterAll(() => faces.close());

function document(): object {
  const properties = Object.fromEntries(
    Array.from({ length: 10 }, (_, index) => [`property${index}`, { type: index % 2 ? 'string' : 'number' }]),
  );
  const answer = (schema: object) => ({
    200: { description: '', content: { 'application/json': { schema } } },
  });
  const each = Array.from({ length: TYPES }, (_, index) => {
    const item = { $ref: `#/components/schemas/Thing${index}` };
    const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } };
    return {
      schema: {
        type: 'object',
        properties: { id: { type: 'integer' }, ...properties },
        'x-odata': { grants: { User: ['View'] } },
      },
      paths: {
        [`/things${index}`]: { get: { responses: answer({ type: 'array', items: item }) } },
        [`/things${index}/{id}`]: { get: { parameters: [id], responses: answer(item) } },
      },
    };
  });
  return {
    openapi: '3.1.0',
    info: { title: 'Large', version: '1' },
    paths: Object.assign({}, ...each.map(({ paths }) => paths)),
    components: { schemas: Object.fromEntries(each.map(({ schema }, index) => [`Thing${index}`, schema])) },
  };
}

/** A user whose key is for some of the sets. */
function keyOf(id: string, sets: number): Principal {
  const names = Array.from({ length: sets }, (_, index) => `Things${index}`);
  const permissions = new Map(names.map((name) => [name, new Set(['View'] as const)]));
  return {
    kind: 'user',
    id,
    roles: ['User'],
    scoped: { roles: ['User'], scope: { permissions, text: names.join() } },
  };
}

const READER = userWith('User');

/** Reads by key twenty times, and expects the work to be under way still. */
async function expectReadsBefore(work: Promise<unknown>): Promise<void> {
  let isDone = false;
  work.finally(() => {
    isDone = true;
  });
  for (let times = 0; times < 20; times += 1) {
    const { status } = await faces.odata(requestOf(READER, 'GET /Things0(1)'));
    expect([status, isDone]).toStrictEqual([200, false]);
  }
}

describe('a schema of many types', () => {
  it('is made and told while others read', async () => {
    const asking = askGraphQL(faces, { kind: 'unrestricted' }, getIntrospectionQuery());
    await expectReadsBefore(asking);
    const { data } = await asking;
    expect(data.__schema.types.length).toBeGreaterThan(TYPES);
  }, 60_000);

  it('is made and told for the scope of a key while others read', async () => {
    const asking = askGraphQL(faces, keyOf('anna', TYPES - 1), getIntrospectionQuery());
    await expectReadsBefore(asking);
    const names = (await asking).data.__schema.types.map(({ name }: { name: string }) => name);
    expect(names).toContain(`Thing${TYPES - 2}`);
    expect(names).not.toContain(`Thing${TYPES - 1}`);
  }, 60_000);

  it('lists the fields of one type while others read', async () => {
    const asking = askGraphQL(
      faces,
      READER,
      '{ __type(name: "Query") { fields { name args { name type { kind name ofType { name } } } } } }',
    );
    await expectReadsBefore(asking);
    expect((await asking).data.__type.fields).toHaveLength(3 * TYPES + ['node', 'nodes'].length);
  }, 60_000);
});
