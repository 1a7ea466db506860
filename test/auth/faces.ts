import { permissionsOf } from '../../src/auth/permissions/grants.ts';
import { guardSource } from '../../src/auth/permissions/guarded-source.ts';
import { readableModels } from '../../src/auth/permissions/readable-model.ts';
import { visibleModels } from '../../src/auth/permissions/visible-model.ts';
import type { EntitySource } from '../../src/contract/entity-source.ts';
import type { GatewayRequest, GatewayResponse } from '../../src/contract/exchange.ts';
import type { Principal } from '../../src/contract/principal.ts';
import { DEFAULT_REQUEST_LIMITS, type RequestLimits } from '../../src/core/request-limits.ts';
import { modelFromOpenApi } from '../../src/derive/model-from-openapi.ts';
import { createGraphQLEndpoint } from '../../src/graphql/endpoint.ts';
import type { Model } from '../../src/model/model.ts';
import { createODataEndpoint } from '../../src/odata/endpoint.ts';
import { createEntitySource } from '../../src/source/entity-source.ts';
import { createGatewayMesh } from '../mesh/gateway-mesh.ts';
import { type Behaviour, startStandInUpstream } from '../support/stand-in-upstream.ts';

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

type Endpoint = (request: GatewayRequest) => Promise<GatewayResponse>;

/** Both faces of one API, as the gateway puts them together, and how often its upstream was called. */
export interface Faces {
  readonly model: Model;
  readonly odata: Endpoint;
  readonly graphql: Endpoint;
  calls(): number;
  /** The requests that the upstream received, in order. */
  targets(): readonly string[];
  close(): Promise<void>;
}

export async function openFaces(
  name: string,
  document: object,
  behaviour: Behaviour,
  limits: Partial<RequestLimits> = {},
  signingKey?: string,
): Promise<Faces> {
  const upstream = await startStandInUpstream(behaviour);
  const { model } = modelFromOpenApi([{ name, document }]);
  const source = { name, document: `${name}.yaml`, endpoint: upstream.url, operationHeaders: {} };
  const mesh = await createGatewayMesh({
    project: { directory: '/', sources: [source] },
    documents: new Map([[name, document]]),
    log: SILENT,
  });
  const permissions = permissionsOf(model);
  const guard = (unguarded: EntitySource): EntitySource => guardSource(unguarded, permissions, model);
  const visibleTo = visibleModels(model);
  const served = {
    model,
    visibleTo,
    readableTo: readableModels(model),
    source: guard(createEntitySource({ mesh, model })),
    root: 'http://x/odata',
    signingKey,
    answerMemoryBytes: 1_000_000,
    log: SILENT,
    limits: { ...DEFAULT_REQUEST_LIMITS, ...limits },
  };
  const odata = createODataEndpoint({ ...served, guard });
  return {
    model,
    odata,
    graphql: createGraphQLEndpoint({
      ...served,
      ids: 'upstream',
      form: { numbers: 'mixed', federation: false },
      documents: { automatic: true, allowed: undefined },
    }),
    calls: () => upstream.requests.length,
    targets: () => upstream.requests.map(({ method, target }) => `${method} ${decodeURI(target)}`),
    async close() {
      await mesh.destroy();
      await upstream.close();
    },
  };
}

/** Has another server answer. */
export function forwardTo(url: string): Behaviour {
  return async ({ method, target, headers, body }, reply) => {
    const { 'content-length': _length, host: _host, connection: _connection, ...others } = headers;
    const sent = body.length === 0 ? {} : { body: Buffer.from(body) };
    const answer = await fetch(`${url}${target}`, { method, headers: others, ...sent });
    const type = answer.headers.get('content-type');
    reply.send(
      answer.status,
      new Uint8Array(await answer.arrayBuffer()),
      type === null ? {} : { 'content-type': type },
    );
  };
}

export function userWith(...roles: readonly string[]): Principal {
  return { kind: 'user', id: roles.join(), roles };
}

/** Such as `GET /Post?$top=1`, with a body where it has one. */
export function requestOf(principal: Principal, call: string, body?: unknown): GatewayRequest {
  const [method = '', target = ''] = call.split(/ (.*)/);
  return {
    id: 'test',
    principal,
    signal: new AbortController().signal,
    method,
    target: target.replaceAll(' ', '%20'),
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
  };
}

export async function askGraphQL({ graphql }: Faces, principal: Principal, query: string) {
  const { body } = await graphql(requestOf(principal, 'POST ', { query }));
  return JSON.parse(String(body));
}
