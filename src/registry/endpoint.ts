import type { GatewayRequest, GatewayResponse } from '../contract/exchange.ts';
import { GatewayError } from '../contract/gateway-error.ts';
import { summaryOf } from './apis/describe-api.ts';
import { listApis } from './apis/registry.ts';
import { fetchDocument } from './fetch-document.ts';
import { whyNotWritable } from './folder/why-not-writable.ts';
import { createMutex } from './mutex.ts';
import { deleteApi } from './project-membership.ts';
import { registerApi } from './register-api.ts';
import { json } from './registry-error.ts';
import {
  bodyOf,
  change,
  describe,
  nameOfUser,
  type Registry,
  type RegistryOptions,
} from './registry-request.ts';
import { demandRole } from './registry-role.ts';
import { replaceApi } from './replace-api.ts';
import { readChecked, readConfirmed, readNewApi, readReplacement } from './request-fields.ts';
import { ACTION_ROUTES, QUERY_ROUTES } from './routes.ts';

/** Serves the registry of APIs, below the path that it is mounted at. */
export function createRegistryEndpoint(options: RegistryOptions) {
  const registry: Registry = { ...options, inTurn: createMutex(), seen: new Map() };
  return async (request: GatewayRequest): Promise<GatewayResponse> => {
    demandRole(request.principal);
    options.checkOrigin(request);
    return options.progress.during(request, () => serve(registry, request));
  };
}

async function serve(registry: Registry, request: GatewayRequest): Promise<GatewayResponse> {
  const [path = ''] = request.target.split(/[?#]/, 1);
  const [, name, verb, ...more] = path.split('/').map(decodeSegment);
  if (more.length > 0) throw nothingHere();
  if (name === undefined || name === '') return serveAll(registry, request);
  if (name === '$check') return serveOnly(request, 'POST', () => check(registry, request));
  if (name === '$progress' && verb !== undefined)
    return serveOnly(request, 'GET', () => tellStep(registry, verb));
  return verb === undefined ? serveApi(registry, request, name) : serveVerb(registry, request, name, verb);
}

/** What the request is at that has named itself so; null where it is none of this instance's. */
async function tellStep({ progress }: Registry, id: string): Promise<GatewayResponse> {
  return json(200, { step: progress.of(id) ?? null });
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw nothingHere();
  }
}

function nothingHere(): GatewayError {
  return new GatewayError('NotFound', 'There is nothing at this path.');
}

function notAllowed(allow: string): GatewayError {
  return new GatewayError('MethodNotAllowed', `Possible here: ${allow}.`, { headers: { allow } });
}

async function serveOnly(
  { method }: GatewayRequest,
  only: 'GET' | 'POST',
  serve: () => Promise<GatewayResponse>,
): Promise<GatewayResponse> {
  if (method !== only) throw notAllowed(only === 'GET' ? 'GET, HEAD' : only);
  return serve();
}

async function serveAll(registry: Registry, request: GatewayRequest): Promise<GatewayResponse> {
  if (request.method === 'GET') {
    const { projectFile, documents } = registry.folder;
    const reason = whyNotWritable(projectFile, documents) ?? null;
    const apis = (await listApis(registry)).map(summaryOf);
    return json(200, { writable: reason === null, reason, apis });
  }
  if (request.method !== 'POST') throw notAllowed('GET, HEAD, POST');
  const order = readNewApi(bodyOf(request));
  const document = order.document ?? (await fetchDocument(order.url, registry, request.signal));
  const api = { ...order, document };
  await change(registry, request, api.name, 'registered', () => registerApi(registry, api));
  const location = `${registry.url}/${api.name}`;
  return json(201, await describe(registry, api.name), { location });
}

async function check({ examinations }: Registry, request: GatewayRequest): Promise<GatewayResponse> {
  const { document, name } = readChecked(bodyOf(request));
  const { report, model } = (await examinations.ofText(document, name)).examination;
  return json(200, { report, model });
}

async function serveApi(registry: Registry, request: GatewayRequest, name: string): Promise<GatewayResponse> {
  switch (request.method) {
    case 'GET':
      return json(200, await describe(registry, name));
    case 'PUT': {
      const body = bodyOf(request);
      const [replacement, confirmed] = [readReplacement(body), readConfirmed(body)];
      const by = await nameOfUser(registry, request);
      await change(registry, request, name, 'replaced', () =>
        replaceApi(registry, name, replacement, { by, confirmed }),
      );
      return json(200, await describe(registry, name));
    }
    case 'DELETE':
      await change(registry, request, name, 'deleted', () => deleteApi(registry, name));
      registry.seen.delete(name);
      return { status: 204, headers: { 'cache-control': 'no-store' }, body: undefined };
    default:
      throw notAllowed('GET, HEAD, PUT, DELETE');
  }
}

async function serveVerb(
  registry: Registry,
  request: GatewayRequest,
  name: string,
  verb: string,
): Promise<GatewayResponse> {
  const [read, deed] = [QUERY_ROUTES.get(verb), ACTION_ROUTES.get(verb)];
  if (read !== undefined) return serveOnly(request, 'GET', () => read(registry, request, name));
  if (deed !== undefined) return serveOnly(request, 'POST', () => deed(registry, request, name));
  throw nothingHere();
}
