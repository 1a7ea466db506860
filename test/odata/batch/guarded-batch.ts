import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { permissionsOf } from '../../../src/auth/permissions/grants.ts';
import { guardSource } from '../../../src/auth/permissions/guarded-source.ts';
import type { EntitySource } from '../../../src/contract/entity-source.ts';
import type { GatewayRequest, GatewayResponse } from '../../../src/contract/exchange.ts';
import type { Principal } from '../../../src/contract/principal.ts';
import { modelFromOpenApi } from '../../../src/derive/model-from-openapi.ts';
import type { GatewayMesh } from '../../../src/mesh/mesh.ts';
import { createODataEndpoint } from '../../../src/odata/endpoint.ts';
import { createEntitySource } from '../../../src/source/entity-source.ts';
import { createGatewayMesh } from '../../mesh/gateway-mesh.ts';
import {
  type Behaviour,
  type StandInUpstream,
  startStandInUpstream,
} from '../../support/stand-in-upstream.ts';

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

export interface GuardedAnswer {
  readonly status: number;
  readonly statuses: readonly number[];
  /** The requests that the upstream received: method and target. */
  readonly asked: readonly string[];
}

export type GuardedBatch = (principal: Principal, requests: readonly object[]) => Promise<GuardedAnswer>;

/** Sends batches to a service that asks for permissions, before an upstream that is as at first in each test. */
export function useGuardedBatch(document: object, behaviour: () => Behaviour): GuardedBatch {
  const directory = mkdtempSync(join(tmpdir(), 'batch-'));
  const file = join(directory, 'api.json');
  let upstream: StandInUpstream;
  let mesh: GatewayMesh;
  let odata: (request: GatewayRequest) => Promise<GatewayResponse>;

  beforeAll(async () => {
    writeFileSync(file, JSON.stringify(document));
    upstream = await startStandInUpstream();
    const { model } = modelFromOpenApi([{ name: 'Api', document }]);
    mesh = await createGatewayMesh({
      project: {
        directory,
        sources: [{ name: 'Api', document: file, endpoint: upstream.url, operationHeaders: {} }],
      },
      documents: new Map([['Api', document]]),
      log: SILENT,
    });
    const guard = (source: EntitySource) => guardSource(source, permissionsOf(model), model);
    const source = guard(createEntitySource({ mesh, model }));
    odata = createODataEndpoint({ model, source, guard, root: 'http://x/odata', answerMemoryBytes: 0 });
  });
  beforeEach(() => upstream.behave(behaviour()));
  afterAll(async () => {
    await mesh.destroy();
    await upstream.close();
    rmSync(directory, { recursive: true });
  });

  return async (principal, requests) => {
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
    const requested = upstream.requests.slice(before).map(({ method, target }) => `${method} ${target}`);
    return {
      status,
      statuses: responses.map((response: { status: number }) => response.status),
      asked: requested,
    };
  };
}

export function userOf(role: string): Principal {
  return { kind: 'user', id: role, roles: [role] };
}
