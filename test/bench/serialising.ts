import type { EntitySource } from '../../src/contract/entity-source.ts';
import type { GatewayRequest } from '../../src/contract/exchange.ts';
import { UNRESTRICTED } from '../../src/contract/principal.ts';
import type { Row } from '../../src/contract/row.ts';
import { createODataEndpoint } from '../../src/odata/endpoint.ts';
import { entityTypeOf, modelOf, primitiveProperty } from '../support/model.ts';
import { middle } from './measure.ts';

/** The cost of writing a response, relative to JSON.stringify of the same rows. */
export interface Serialising {
  readonly metadata: 'minimal' | 'full';
  readonly ratio: number;
  /** In times of the same with its bytes, which an answer of this size is written as. */
  readonly ratioWithBytes: number;
  readonly must: number;
}

const ROWS = 10_000;
const ROUNDS = 41;

const POST = entityTypeOf('Posts', 'Post', [
  primitiveProperty('UserId', 'Edm.Int32', 'userId'),
  primitiveProperty('Id', 'Edm.String', 'id'),
  primitiveProperty('Title', 'Edm.String', 'title'),
  primitiveProperty('Body', 'Edm.String', 'body'),
]);

const MODEL = modelOf('Posts', [
  {
    name: 'Post',
    entityType: POST,
    list: { id: 'posts', parameters: [] },
    read: { id: 'post', parameters: [{ name: 'id', property: 'Id' }] },
    insert: undefined,
    grants: new Map(),
  },
]);

/** Reads rows that are there already, through the endpoint: nothing is fetched, and nothing is remembered. */
export async function measureSerialising(): Promise<readonly Serialising[]> {
  const rows = Array.from({ length: ROWS }, (_, index) => rowOf(index + 1));
  const source = { readCollection: async () => ({ data: rows, version: undefined }) };
  const answer = createODataEndpoint({
    model: MODEL,
    source: source as Partial<EntitySource> as EntitySource,
    root: 'http://localhost/odata',
    answerMemoryBytes: 0,
  });
  const times = {
    stringify: [] as number[],
    bytes: [] as number[],
    minimal: [] as number[],
    full: [] as number[],
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    times.stringify.push(await timeOf(() => JSON.stringify({ value: rows })));
    times.bytes.push(await timeOf(() => Buffer.from(JSON.stringify({ value: rows }))));
    times.minimal.push(await timeOf(() => answer(request('minimal'))));
    times.full.push(await timeOf(() => answer(request('full'))));
  }
  const written = (metadata: 'minimal' | 'full', must: number) => ({
    metadata,
    ratio: middle(times[metadata]) / middle(times.stringify),
    ratioWithBytes: middle(times[metadata]) / middle(times.bytes),
    must,
  });
  return [written('minimal', 1.05), written('full', 1.5)];
}

function rowOf(id: number): Row {
  return {
    UserId: 1 + (id % 10),
    Id: String(id),
    Title: `Title of the post ${id}`,
    Body: `Words ${id} `.repeat(20),
  };
}

function request(metadata: string): GatewayRequest {
  return {
    id: 'bench',
    method: 'GET',
    target: '/Post',
    headers: { accept: `application/json;odata.metadata=${metadata}` },
    body: undefined,
    principal: UNRESTRICTED,
    signal: new AbortController().signal,
  };
}

async function timeOf(work: () => unknown): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
