import OpenAPIHandler from '@graphql-mesh/openapi';
import { InMemoryStoreStorageAdapter, MeshStore } from '@graphql-mesh/store';
import type { KeyValueCache, MeshFetch } from '@graphql-mesh/types';
import { PubSub } from '@graphql-mesh/utils';
import { type GraphQLResolveInfo, graphql, printType } from 'graphql';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { Post, Query, QuerypostArgs } from '../../.mesh/index.js';
import { quietLogger } from '../../src/upstream/calls/mesh-context.ts';
import { POSTS_DOCUMENT, recordingLog } from './support.ts';

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

/** The schema that Mesh's handler makes, whose fetch records what it is called with and answers with that text. */
async function openStockSchema(text: string, fetched: Fetched[] = []) {
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
  const handler = new OpenAPIHandler({
    cache,
    pubsub: new PubSub(),
    logger: quietLogger(recordingLog([])),
    store: new MeshStore('.mesh', new InMemoryStoreStorageAdapter(), { readonly: false, validate: false }),
    name: 'Posts',
    config: { source: POSTS_DOCUMENT, endpoint: 'http://upstream/api', ignoreErrorResponses: true },
    baseDir: '/',
    importFn: () => Promise.reject(new Error('nothing is imported')),
  });
  const { schema } = await handler.getMeshSource({ fetchFn: fetch as unknown as MeshFetch });
  return schema;
}

const MARK = Symbol('mark');

describe('what the gateway relies on inside Mesh', () => {
  it('calls fetch with the URL, the request, the context and the info of the field', async () => {
    const fetched: Fetched[] = [];
    const schema = await openStockSchema('[]', fetched);
    await graphql({ schema, source: '{ posts { id } }', contextValue: { [MARK]: 'context' } });
    expect(fetched).toMatchObject([
      {
        url: 'http://upstream/api/posts',
        init: { method: 'GET', headers: { accept: 'application/json' } },
        context: { [MARK]: 'context' },
        info: { fieldName: 'posts' },
      },
    ]);
  });

  it('keeps symbols of the info that a resolver is given', async () => {
    const fetched: Fetched[] = [];
    const schema = await openStockSchema('[]', fetched);
    const field = schema.getQueryType()?.getFields()['posts'];
    const info = { parentType: { name: 'Query' }, fieldName: 'posts', [MARK]: 'info' };
    await field?.resolve?.(undefined, {}, {}, info as unknown as GraphQLResolveInfo);
    expect(fetched[0]?.info[MARK]).toBe('info');
  });

  it('puts a path argument into the path as it is, so that it must be encoded before', async () => {
    const fetched: Fetched[] = [];
    const schema = await openStockSchema('{}', fetched);
    await graphql({ schema, source: '{ post(id: "a%2F..%24%26") { id } }', contextValue: {} });
    expect(fetched[0]?.url).toBe('http://upstream/api/posts/a%2F..%24%26');
  });

  it.each(['posts', 'post'])(
    'takes a number for the answer of %s and neither wraps nor decorates it',
    async (name) => {
      const schema = await openStockSchema('0');
      const field = schema.getQueryType()?.getFields()[name];
      const info = { parentType: { name: 'Query' }, fieldName: name } as unknown as GraphQLResolveInfo;
      const result: unknown = await field?.resolve?.(undefined, { id: '1' }, {}, info);
      expect(result).toEqual(name === 'posts' ? [0] : 0);
    },
  );

  it('prefers the fetch of the context to its own', async () => {
    const fetched: Fetched[] = [];
    const schema = await openStockSchema('[]', fetched);
    const field = schema.getQueryType()?.getFields()['posts'];
    const info = { parentType: { name: 'Query' }, fieldName: 'posts' } as unknown as GraphQLResolveInfo;
    const fetch = () => Promise.reject(new Error('the context was asked'));
    await expect(field?.resolve?.(undefined, {}, { fetch }, info)).rejects.toThrow('the context was asked');
    expect(fetched).toHaveLength(0);
  });

  it('describes HTTP operations by a directive with path and method', async () => {
    const schema = await openStockSchema('0');
    const directives = schema.getQueryType()?.getFields()['post']?.astNode?.directives;
    expect(directives?.map(({ name }) => name.value)).toEqual(['httpOperation']);
    expect(schema.getDirective('httpOperation')?.args.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['path', 'httpMethod', 'operationSpecificHeaders']),
    );
  });

  it('makes these types of the posts document', async () => {
    const schema = await openStockSchema('0');
    expect(printType(schema.getType('Post') ?? expect.fail())).toContain('id: Int!');
    expectTypeOf<Post['id']>().toEqualTypeOf<number>();
    expectTypeOf<QuerypostArgs['id']>().toEqualTypeOf<string>();
    expectTypeOf<NonNullable<Query['posts']>>().items.toExtend<Post | null | undefined>();
  });
});
