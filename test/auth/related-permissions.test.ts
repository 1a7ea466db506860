import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { guardSource, permissionsOf } from '../../src/auth/permissions.ts';
import type { Principal } from '../../src/contract/principal.ts';
import { createEntitySource } from '../../src/mesh/entity-source.ts';
import { createGatewayMesh, type GatewayMesh } from '../../src/mesh/mesh.ts';
import { modelFromOpenApi } from '../../src/model/from-openapi.ts';
import { createODataEndpoint } from '../../src/odata/endpoint.ts';
import { ORDERS_DOCUMENT } from '../odata/resources.document.ts';
import { type StandInUpstream, startStandInUpstream } from '../support/stand-in-upstream.ts';

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };
const directory = mkdtempSync(join(tmpdir(), 'orders-'));
let upstream: StandInUpstream;
let mesh: GatewayMesh;
let odata: ReturnType<typeof createODataEndpoint>;

const BUYER = { code: 'x', name: 'X' };

/** A clerk sees and changes orders, a seller sees customers, too. */
beforeAll(async () => {
  upstream = await startStandInUpstream(({ target, method, body }, reply) => {
    if (method === 'PATCH') reply.send(200, body);
    else if (target === '/customers/x') reply.json(BUYER);
    else if (target === '/orders/1') reply.json({ id: 1, buyer: BUYER });
    else if (target === '/orders' || target === '/orders?customer=x') reply.json([{ id: 1, buyer: BUYER }]);
    else if (target.startsWith('/orders?')) reply.json([]);
    else reply.send(404, '{}');
  });
  const file = join(directory, 'orders.json');
  writeFileSync(file, JSON.stringify(ORDERS_DOCUMENT));
  const { model } = modelFromOpenApi([{ name: 'Orders', document: ORDERS_DOCUMENT }]);
  const source = { name: 'Orders', document: file, endpoint: upstream.url, operationHeaders: {} };
  mesh = await createGatewayMesh({
    project: { directory, sources: [source] },
    documents: new Map([['Orders', ORDERS_DOCUMENT]]),
    log: SILENT,
  });
  const entities = guardSource(createEntitySource({ mesh, model }), permissionsOf(model), model);
  odata = createODataEndpoint({
    model,
    source: entities,
    root: 'http://x/odata',
    answerMemoryBytes: 1_000_000,
  });
});

afterAll(async () => {
  await mesh.destroy();
  await upstream.close();
  rmSync(directory, { recursive: true });
});

const CLERK: Principal = { kind: 'user', id: 'c', roles: ['Clerk'] };
const SELLER: Principal = { kind: 'user', id: 's', roles: ['Seller'] };

async function ask(principal: Principal, call: string, body?: string) {
  const [method = '', target = ''] = call.split(' /');
  const headers = { 'content-type': 'application/json' };
  const sent = body === undefined ? undefined : Buffer.from(body);
  const { signal } = new AbortController();
  const { status } = await odata({
    id: 't',
    principal,
    signal,
    method,
    target: `/${target}`,
    headers,
    body: sent,
  });
  return status;
}

it.each([
  ['GET /Order', 200, 200],
  ['GET /Order(1)?$select=Id', 200, 200],
  ['GET /Order(1)/Buyer', 403, 200],
  ['GET /Order(1)/Buyer/Name', 403, 200],
  ['GET /Order(1)/Buyer/$ref', 403, 200],
  ['GET /Order?$expand=Buyer', 403, 200],
  ['GET /Order?$expand=Buyer/$ref', 403, 200],
  ['GET /Order?$expand=*', 403, 200],
  ["GET /Order?$filter=Buyer/Name eq 'X'", 403, 200],
  ['GET /Order?$orderby=Buyer/Name', 403, 200],
  ["GET /Order/$count?$filter=Buyer/Name eq 'X'", 403, 200],
  ["GET /Order/$filter(Buyer/Name eq 'X')/$count", 403, 200],
  ['GET /Order(1)/Buyer/Orders', 403, 200],
  ["GET /Customer('x')", 403, 200],
  ["GET /Customer('x')/Name", 403, 200],
  ["GET /Customer('x')?$expand=Orders", 403, 200],
  ["GET /$entity?$id=Customer('x')", 403, 200],
  ['PATCH /Order(1)', 204, 403],
  ['PUT /Order(1)/Note', 204, 403],
  ['PATCH /Order(1)?$expand=Buyer', 403, 403],
])('%s', async (call, clerk, seller) => {
  const body = call.startsWith('GET') ? undefined : call.includes('Note') ? '{"value":"n"}' : '{"Note":"n"}';
  // The seller first: what is kept for the one must not reach the other.
  expect([await ask(SELLER, call, body), await ask(CLERK, call, body)]).toEqual([seller, clerk]);
});

it('does not tell whoever may not see the owner whether it is there', async () => {
  for (const key of ['x', 'nobody']) {
    expect(await ask(CLERK, `GET /Customer('${key}')/Orders`)).toBe(200);
  }
  expect(await ask(SELLER, "GET /Customer('nobody')/Orders")).toBe(404);
});
