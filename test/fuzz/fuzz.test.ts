import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { buildClientSchema, getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { startLibraryUpstream } from '../../examples/library/upstream/library-upstream.ts';
import { type Gateway, startGateway } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import type { SampleUpstream } from '../../src/demo/sample-server.ts';
import { modelFromOpenApi } from '../../src/derive/model-from-openapi.ts';
import { type StandInUpstream, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { graphqlDocuments } from './graphql-documents.ts';
import { mistakenTargets, odataTargets } from './odata-requests.ts';

const LIBRARY = join(import.meta.dirname, '../../examples/library');

/** Number of requests of each kind; `npm run fuzz` makes more. */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 100);
/** Maximum growth of memory after all of them, in bytes. */
const MOST_LEFT = 64 * 1024 * 1024;
const TIMEOUT = 60_000 + RUNS * 200;

const document: unknown = parse(readFileSync(join(LIBRARY, 'openapi/library.yaml'), 'utf8'));
const { model } = modelFromOpenApi([{ name: 'Library', document }]);

let library: SampleUpstream;
let upstream: StandInUpstream;
let gateway: Gateway;
beforeAll(async () => {
  library = await startLibraryUpstream();
  // In between, so that calls can be counted.
  upstream = await startStandInUpstream(async ({ method, target }, reply) => {
    const answer = await fetch(library.url + target, { method });
    const type = answer.headers.get('content-type') ?? 'application/json';
    reply.send(answer.status, Buffer.from(await answer.arrayBuffer()), { 'content-type': type });
  });
  gateway = await startGateway(
    readConfig({
      AUTH: 'off',
      PORT: '0',
      LOG_LEVEL: 'silent',
      LIBRARY_URL: upstream.url,
      MESH_CONFIG: join(LIBRARY, '.meshrc.yaml'),
      QUERY_ROWS: '20000',
      QUERY_ITEMS: '200000',
      QUERY_MS: '500',
      ANSWER_MIB: '1',
    }),
  );
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
  await library.close();
});

async function ask(path: string, init?: RequestInit) {
  const response = await fetch(gateway.url + path, init);
  return { status: response.status, text: await response.text() };
}

async function graphql(query: string) {
  const headers = { 'content-type': 'application/json' };
  const { status, text } = await ask('/graphql', {
    method: 'POST',
    headers,
    body: JSON.stringify({ query }),
  });
  return { status, json: JSON.parse(text) };
}

function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

describe('requests that are made up', () => {
  it(
    'of the grammar of OData are answered or refused, and never fail',
    async () => {
      const before = heapInUse();
      await fc.assert(
        fc.asyncProperty(odataTargets(model), async (target) => {
          const { status, text } = await ask(`/odata${target}`);
          expect({
            target,
            status,
            text: text.slice(0, 200),
            isKnown: [200, 204, 400, 404, 405, 413, 414, 501].includes(status),
          }).toMatchObject({ isKnown: true });
          expect(text.length).toBeLessThanOrEqual(1024 * 1024);
        }),
        { numRuns: RUNS },
      );
      expect((await ask('/health/live')).status).toBe(200);
      expect(heapInUse() - before).toBeLessThan(MOST_LEFT);
    },
    TIMEOUT,
  );

  it(
    'with a name that the model does not have are refused before the API is asked',
    async () => {
      await fc.assert(
        fc.asyncProperty(mistakenTargets(model), async (target) => {
          const before = upstream.requests.length;
          const { status } = await ask(`/odata${target}`);
          expect({ target, status, calls: upstream.requests.length - before }).toMatchObject({ calls: 0 });
          expect([400, 404, 501]).toContain(status);
        }),
        { numRuns: RUNS },
      );
    },
    TIMEOUT,
  );

  it(
    'of the schema of GraphQL are answered or refused, and never fail',
    async () => {
      const { json } = await graphql(getIntrospectionQuery());
      const schema = buildClientSchema(json.data);
      await fc.assert(
        fc.asyncProperty(graphqlDocuments(schema), async (query) => {
          const { status, json: answer } = await graphql(query);
          const codes = (answer.errors ?? []).map(
            (error: { extensions?: { code?: string } }) => error.extensions?.code,
          );
          expect({
            query,
            status,
            codes,
            failed: status >= 500 || codes.includes('InternalError'),
          }).toMatchObject({ failed: false });
        }),
        { numRuns: RUNS },
      );
      expect((await ask('/health/live')).status).toBe(200);
    },
    TIMEOUT,
  );
});
