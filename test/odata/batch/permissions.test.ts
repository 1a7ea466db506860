import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { guardSource, permissionsOf } from '../../../src/auth/permissions.ts';
import type { EntitySource } from '../../../src/contract/entity-source.ts';
import type { GatewayRequest, GatewayResponse } from '../../../src/contract/exchange.ts';
import type { Principal } from '../../../src/contract/principal.ts';
import { createEntitySource } from '../../../src/mesh/entity-source.ts';
import { createGatewayMesh, type GatewayMesh } from '../../../src/mesh/mesh.ts';
import { modelFromOpenApi } from '../../../src/model/from-openapi.ts';
import { createODataEndpoint } from '../../../src/odata/endpoint.ts';
import { type StandInUpstream, startStandInUpstream } from '../../support/stand-in-upstream.ts';
import { NOTES_DOCUMENT, notesApi } from './notes.ts';

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };
const directory = mkdtempSync(join(tmpdir(), 'notes-'));
const file = join(directory, 'notes.json');
writeFileSync(file, JSON.stringify(NOTES_DOCUMENT));

let upstream: StandInUpstream;
let mesh: GatewayMesh;
let odata: (request: GatewayRequest) => Promise<GatewayResponse>;

beforeAll(async () => {
  upstream = await startStandInUpstream();
  const { model } = modelFromOpenApi([{ name: 'Notes', document: NOTES_DOCUMENT }]);
  mesh = await createGatewayMesh({
    project: {
      directory,
      sources: [{ name: 'Notes', document: file, endpoint: upstream.url, operationHeaders: {} }],
    },
    documents: new Map([['Notes', NOTES_DOCUMENT]]),
    log: SILENT,
  });
  const guard = (source: EntitySource) => guardSource(source, permissionsOf(model), model);
  const source = guard(createEntitySource({ mesh, model }));
  odata = createODataEndpoint({ model, source, guard, root: 'http://x/odata', answerMemoryBytes: 0 });
});

afterAll(async () => {
  await mesh.destroy();
  await upstream.close();
  rmSync(directory, { recursive: true });
});

beforeEach(() => upstream.behave(notesApi()));

async function batch(principal: Principal, requests: readonly object[]) {
  const before = upstream.requests.length;
  const { status, body } = await odata({
    id: 'test',
    principal,
    signal: new AbortController().signal,
    method: 'POST',
    target: '/$batch',
    headers: { 'content-type': 'application/json', prefer: 'continue-on-error' },
    body: Buffer.from(JSON.stringify({ requests })),
  });
  const { responses = [] } = JSON.parse(String(body));
  const asked = upstream.requests.slice(before).map(({ method, target }) => `${method} ${target}`);
  return { status, statuses: responses.map((response: { status: number }) => response.status), asked };
}

const user = (role: string): Principal => ({ kind: 'user', id: role, roles: [role] });
const post = (id: string, url: string, text: string, atomicityGroup?: string) => ({
  id,
  method: 'POST',
  url,
  body: { Text: text },
  atomicityGroup,
});

it('asks for the permission of each request', async () => {
  const requests = [post('1', 'Note', 'x'), { id: '2', method: 'GET', url: 'Note' }, post('3', 'Label', 'x')];
  expect(await batch(user('Writer'), requests)).toStrictEqual({
    status: 200,
    statuses: [201, 200, 403],
    asked: ['POST /notes', 'GET /notes'],
  });
  expect(await batch(user('Adder'), requests)).toStrictEqual({
    status: 200,
    statuses: [201, 403, 403],
    asked: ['POST /notes'],
  });
});

it('sends nothing of a change set where one member is not permitted', async () => {
  const update = { id: '2', method: 'PATCH', url: '$1', body: { Text: 'y' }, atomicityGroup: 'g' };
  for (const forbidden of [post('2', 'Label', 'x', 'g'), update]) {
    expect(await batch(user('Writer'), [post('1', 'Note', 'x', 'g'), forbidden])).toStrictEqual({
      status: 200,
      statuses: [424, 403],
      asked: [],
    });
  }
});

it('undoes only what the user may delete', async () => {
  const requests = [post('1', 'Note', 'x', 'g'), post('2', 'Note', 'fail', 'g')];
  const { asked } = await batch(user('Writer'), requests);
  expect(asked).toStrictEqual(['POST /notes', 'POST /notes', 'DELETE /notes/10']);
  expect((await batch(user('Adder'), requests)).asked).toStrictEqual(['POST /notes', 'POST /notes']);
});

it('is for those who have logged in', async () => {
  const { status, asked } = await batch({ kind: 'anonymous' }, [post('1', 'Note', 'x')]);
  expect([status, asked]).toStrictEqual([401, []]);
});
