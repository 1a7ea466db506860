import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { printType } from 'graphql';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import type { GatewayMesh } from '../../src/mesh/mesh.ts';
import { type Behaviour, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createGatewayMesh } from './gateway-mesh.ts';
import { callOperation, failureOf, type LogLine, POSTS_DOCUMENT, post, recordingLog } from './support.ts';

interface OpenSource {
  readonly document: unknown;
  readonly endpoint?: string;
  readonly operationHeaders?: Readonly<Record<string, string>>;
  readonly queryParams?: Readonly<Record<string, string>>;
}

let log: LogLine[] = [];
beforeEach(() => {
  log = [];
});

async function openMesh(sources: Readonly<Record<string, OpenSource>>): Promise<GatewayMesh> {
  const entries = Object.entries(sources);
  const mesh = await createGatewayMesh({
    project: {
      directory: '/',
      sources: entries.map(([name, { document: _, ...source }]) => ({
        name,
        document: '',
        endpoint: 'http://127.0.0.1:1',
        operationHeaders: {},
        ...source,
      })),
    },
    documents: new Map(entries.map(([name, { document }]) => [name, document])),
    log: recordingLog(log),
  });
  onTestFinished(() => mesh.destroy());
  return mesh;
}

async function openUpstream(behaviour: Behaviour) {
  const upstream = await startStandInUpstream(behaviour);
  onTestFinished(() => upstream.close());
  return upstream;
}

const posts = (): unknown => parse(readFileSync(POSTS_DOCUMENT, 'utf8'));

/** A document with one list of things of that schema, at that path. */
function thingsDocument(path: string, schemas: object, operationId?: string): object {
  const schema = { type: 'array', items: { $ref: '#/components/schemas/Thing' } };
  const responses = { 200: { description: 'x', content: { 'application/json': { schema } } } };
  return {
    openapi: '3.1.0',
    'x-odata': { strict: true },
    info: { title: 'Things', version: '1' },
    paths: { [path]: { get: { operationId, responses } } },
    components: { schemas },
  };
}

function rootFields(mesh: GatewayMesh): readonly string[] {
  return mesh.schemas.flatMap((schema) => Object.keys(schema.getQueryType()?.getFields() ?? {}));
}

const COLOUR = { $ref: '#/components/schemas/Colour' };

describe('what a source gives with each call', () => {
  it('is asked of no client and shown to none, nor to the log', async () => {
    const upstream = await openUpstream((_, reply) => reply.send(500, 'no'));
    const parameter = (place: string, name: string) => ({
      name,
      in: place,
      required: true,
      schema: { type: 'string' },
    });
    const responses = { 200: { description: 'x', content: { 'application/json': {} } } };
    const parameters = [
      parameter('query', 'api_key'),
      parameter('header', 'X-Tenant'),
      parameter('query', 'q'),
    ];
    const mesh = await openMesh({
      Keyed: {
        document: { openapi: '3.1.0', paths: { '/a': { get: { operationId: 'a', parameters, responses } } } },
        endpoint: upstream.url,
        operationHeaders: { 'x-tenant': 'tenant-secret' },
        queryParams: { api_key: 'key-secret' },
      },
    });
    expect(printType(mesh.schemas[0]?.getQueryType() ?? expect.fail())).toContain('a(q: String!): JSON');
    const failure = await failureOf(callOperation(mesh, 'a', { q: '1' }));
    expect(upstream.requests[0]).toMatchObject({
      target: '/a?q=1&api_key=key-secret',
      headers: { 'x-tenant': 'tenant-secret' },
    });
    expect(inspect(failure, { depth: null })).not.toContain('secret');
    expect(log).not.toHaveLength(0);
    expect(inspect(log, { depth: null })).not.toContain('secret');
  });
});

describe('two sources', () => {
  it('are called each at its own upstream with its own headers and query parameters', async () => {
    const first = await openUpstream((_, reply) => reply.json([post(1)]));
    const second = await openUpstream((_, reply) => reply.json([{ name: 'a' }]));
    const schemas = { Thing: { type: 'object', properties: { name: { type: 'string' } } } };
    const mesh = await openMesh({
      Posts: { document: posts(), endpoint: first.url, operationHeaders: { 'x-a': '1' } },
      Things: {
        document: thingsDocument('/things', schemas),
        endpoint: `${second.url}/v2`,
        queryParams: { 'api key': 'ä&b' },
      },
    });
    expect(await callOperation(mesh, 'posts')).toEqual([post(1)]);
    expect(await callOperation(mesh, 'things')).toEqual([{ name: 'a' }]);
    expect(first.requests).toMatchObject([{ target: '/posts', headers: { 'x-a': '1' } }]);
    expect(second.requests).toMatchObject([{ target: '/v2/things?api+key=%C3%A4%26b' }]);
    expect(second.requests[0]?.headers['x-a']).toBeUndefined();
  });

  it('keep their operations apart where these have the same id', async () => {
    const mesh = await openMesh({ Posts: { document: posts() }, Others: { document: posts() } });
    expect(rootFields(mesh)).toEqual(['posts', 'post', 'Others_posts', 'Others_post']);
    expect(mesh.report).toContainEqual({
      severity: 'info',
      source: 'Others',
      pointer: '/paths/~1posts/get',
      message: 'The operation is named Others_posts in GraphQL: "posts" also names GET /posts of Posts',
    });
  });

  it('keep their types apart where these have the same name', async () => {
    const upstream = await openUpstream(({ target }, reply) => reply.json(target));
    const ofColours = (path: string, colours: readonly string[]) => ({
      openapi: '3.1.0',
      paths: {
        [`/${path}/{colour}`]: {
          get: {
            operationId: path,
            parameters: [{ name: 'colour', in: 'path', required: true, schema: COLOUR }],
            responses: { 200: { description: 'x', content: { 'application/json': {} } } },
          },
        },
      },
      components: { schemas: { Colour: { type: 'string', enum: colours } } },
    });
    const mesh = await openMesh({
      First: { document: ofColours('first', ['red', 'blue']), endpoint: upstream.url },
      Second: { document: ofColours('second', ['red', 'green']), endpoint: upstream.url },
    });
    expect(await callOperation(mesh, 'first', { colour: 'blue' })).toBe('/first/blue');
    expect(await callOperation(mesh, 'second', { colour: 'green' })).toBe('/second/green');
  });

  it.each([
    ['no paths', { openapi: '3.1.0', info: { title: 'x', version: '1' }, webhooks: {} }],
    ['nothing that can be read', 'text'],
  ])('are served where one has %s', async (_, document) => {
    expect(rootFields(await openMesh({ Empty: { document }, Posts: { document: posts() } }))).toEqual([
      'posts',
      'post',
    ]);
    expect(rootFields(await openMesh({ Empty: { document } }))).toEqual([]);
  });
});
