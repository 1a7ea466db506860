import BareMerger from '@graphql-mesh/merger-bare';
import OpenAPIHandler from '@graphql-mesh/openapi';
import { getMesh } from '@graphql-mesh/runtime';
import { InMemoryStoreStorageAdapter, MeshStore } from '@graphql-mesh/store';
import type { KeyValueCache, MeshFetch } from '@graphql-mesh/types';
import { PubSub } from '@graphql-mesh/utils';
import { type GraphQLResolveInfo, parse, printType } from 'graphql';
import { createYoga } from 'graphql-yoga';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { Post, Query, QuerypostArgs } from '../../.mesh/index.js';
import { GatewayError } from '../../src/contract/gateway-error.ts';
import { quietLogger } from '../../src/mesh/calls/mesh-context.ts';
import { callContext, openScene, POSTS_DOCUMENT, post, recordingLog } from './support.ts';

interface Fetched {
  readonly url: string;
  readonly init: {
    readonly method: string;
    readonly headers: Record<string, string>;
    readonly body?: string;
  };
  readonly context: Record<PropertyKey, unknown>;
  readonly info: GraphQLResolveInfo & Record<PropertyKey, unknown>;
}

/** Mesh as it comes, whose fetch records what it is called with and answers with that text. */
async function openStockMesh(text: string, fetched: Fetched[] = []) {
  const fetch = async (
    url: string,
    init: Fetched['init'],
    context: Fetched['context'],
    info: Fetched['info'],
  ) => {
    fetched.push({ url, init, context, info });
    return { status: 200, statusText: 'OK', ok: true, headers: new Headers(), text: async () => text };
  };
  const cache: KeyValueCache = {
    get: () => undefined,
    set: () => undefined,
    delete: () => false,
    getKeysByPrefix: () => [],
  };
  const workshop = {
    cache,
    pubsub: new PubSub(),
    logger: quietLogger(recordingLog([])),
    store: new MeshStore('.mesh', new InMemoryStoreStorageAdapter(), { readonly: false, validate: false }),
  };
  const handler = new OpenAPIHandler({
    ...workshop,
    name: 'Posts',
    config: { source: POSTS_DOCUMENT, endpoint: 'http://upstream/api', ignoreErrorResponses: true },
    baseDir: '/',
    importFn: () => Promise.reject(new Error('nothing is imported')),
  });
  return getMesh({
    ...workshop,
    sources: [{ name: 'Posts', handler }],
    merger: new BareMerger(workshop),
    fetchFn: fetch as unknown as MeshFetch,
  });
}

const MARK = Symbol('mark');

describe('what the gateway relies on inside Mesh', () => {
  it('calls fetch with the URL, the request, the context and the info of the field', async () => {
    const fetched: Fetched[] = [];
    const mesh = await openStockMesh('[]', fetched);
    await mesh.execute('{ posts { id } }', {}, { [MARK]: 'context' });
    expect(fetched).toMatchObject([
      {
        url: 'http://upstream/api/posts',
        init: { method: 'GET', headers: { accept: 'application/json' } },
        context: { [MARK]: 'context' },
        info: { fieldName: 'posts' },
      },
    ]);
    expect(fetched[0]?.context['fetch']).toBeTypeOf('function');
  });

  it('keeps symbols of the info that a resolver is given', async () => {
    const fetched: Fetched[] = [];
    const mesh = await openStockMesh('[]', fetched);
    const field = mesh.schema.getQueryType()?.getFields()['posts'];
    const info = { parentType: { name: 'Query' }, fieldName: 'posts', [MARK]: 'info' };
    await field?.resolve?.(undefined, {}, {}, info as unknown as GraphQLResolveInfo);
    expect(fetched[0]?.info[MARK]).toBe('info');
  });

  it('puts a path argument into the path as it is, so that it must be encoded before', async () => {
    const fetched: Fetched[] = [];
    const mesh = await openStockMesh('{}', fetched);
    await mesh.execute('{ post(id: "a%2F..%24%26") { id } }', {}, {});
    expect(fetched[0]?.url).toBe('http://upstream/api/posts/a%2F..%24%26');
  });

  it.each(['posts', 'post'])(
    'takes a number for the answer of %s and neither wraps nor decorates it',
    async (name) => {
      const mesh = await openStockMesh('0');
      const field = mesh.schema.getQueryType()?.getFields()[name];
      const info = { parentType: { name: 'Query' }, fieldName: name } as unknown as GraphQLResolveInfo;
      const result: unknown = await field?.resolve?.(undefined, { id: '1' }, {}, info);
      expect(result).toEqual(name === 'posts' ? [0] : 0);
    },
  );

  it('prefers the fetch of the context to its own', async () => {
    const fetched: Fetched[] = [];
    const mesh = await openStockMesh('[]', fetched);
    const field = mesh.schema.getQueryType()?.getFields()['posts'];
    const info = { parentType: { name: 'Query' }, fieldName: 'posts' } as unknown as GraphQLResolveInfo;
    const fetch = () => Promise.reject(new Error('the context was asked'));
    await expect(field?.resolve?.(undefined, {}, { fetch }, info)).rejects.toThrow('the context was asked');
    expect(fetched).toHaveLength(0);
  });

  it('describes HTTP operations by a directive with path and method', async () => {
    const mesh = await openStockMesh('0');
    const directives = mesh.schema.getQueryType()?.getFields()['post']?.astNode?.directives;
    expect(directives?.map(({ name }) => name.value)).toEqual(['httpOperation']);
    expect(mesh.schema.getDirective('httpOperation')?.args.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['path', 'httpMethod', 'operationSpecificHeaders']),
    );
  });

  it('has one plugin that only watches executions: the one that rewrites errors', async () => {
    const { plugins } = await openStockMesh('0');
    expect(plugins.filter((plugin) => Object.keys(plugin).join() === 'onExecute')).toHaveLength(1);
  });

  it('makes these types of the posts document', async () => {
    const { schema } = await openStockMesh('0');
    expect(printType(schema.getType('Post') ?? expect.fail())).toContain('id: Int!');
    expectTypeOf<Post['id']>().toEqualTypeOf<number>();
    expectTypeOf<QuerypostArgs['id']>().toEqualTypeOf<string>();
    expectTypeOf<NonNullable<Query['posts']>>().items.toExtend<Post | null | undefined>();
  });
});

describe("the gateway's mesh", () => {
  it('keeps the original error and shows no stack, also outside production', async () => {
    const scene = await openScene((_, reply) => reply.send(500));
    const { errors } = await scene.mesh.execute('{ posts { id } }', {}, { call: callContext() });
    expect(errors?.[0]?.originalError).toBeInstanceOf(GatewayError);
    expect(errors?.[0]?.extensions).toEqual({});
    expect(JSON.stringify(errors)).not.toMatch(/stack|127\.0\.0\.1/);
  });

  it('compiles its own documents and no others', async () => {
    const scene = await openScene((_, reply) => reply.json([post(1)]));
    const [own, other] = [parse('{ posts { id } }'), parse('{ posts { id } }')];
    scene.mesh.compile(own);
    const results = [
      await scene.mesh.execute(own, {}, { call: callContext() }),
      await scene.mesh.execute(other, {}, { call: callContext() }),
    ];
    // GraphQL.js makes objects without a prototype.
    expect(results.map(({ data }) => Object.getPrototypeOf(data))).toEqual([Object.prototype, null]);
    expect(results.map(({ data }) => data)).toEqual([{ posts: [{ id: 1 }] }, { posts: [{ id: 1 }] }]);
  });

  it('gives a compiled document objects of its own, which may become rows', async () => {
    const scene = await openScene((_, reply) => reply.json([post(1)]));
    const document = parse('{ posts { id } }');
    scene.mesh.compile(document);
    const run = async () => (await scene.mesh.execute(document, {}, { call: callContext() })).data ?? {};
    const [first, second] = [await run(), await run()];
    expect(first).toEqual(second);
    expect(firstOf(first['posts'])).not.toBe(firstOf(second['posts']));
  });

  it('serves Yoga by its schema', async () => {
    const scene = await openScene(({ target }, reply) =>
      target === '/posts' ? reply.json([post(1)]) : reply.send(404),
    );
    const yoga = createYoga({
      schema: scene.mesh.schema,
      context: { call: callContext() },
      logging: false,
    });
    const response = await yoga.fetch('http://gateway/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ posts { id } post(id: "9") { id } }' }),
    });
    expect(await response.json()).toMatchObject({
      data: { posts: [{ id: 1 }], post: null },
      errors: [{ path: ['post'] }],
    });
  });
});

function firstOf(list: unknown): unknown {
  return Array.isArray(list) ? list[0] : expect.fail();
}
