import type { GatewayRequest, GatewayResponse } from '../contract/exchange.ts';
import { GatewayError } from '../contract/gateway-error.ts';
import { type JsonObject, parseJsonObject } from '../contract/json-object.ts';
import type { Log } from '../contract/log.ts';
import type { HostList } from './address/host-list.ts';
import { writeOperation } from './api-wire.ts';
import { consoleDocument } from './console-document.ts';
import { summaryOf } from './describe-api.ts';
import { fetchDocument } from './fetch-document.ts';
import { fetchOperations, type SeenApis } from './fetch-operations.ts';
import { whyNotWritable } from './folder/why-not-writable.ts';
import { addApi, deleteApi, withdrawApi } from './project-membership.ts';
import { registerApi } from './register-api.ts';
import { detailOf, findApi, listApis } from './registry.ts';
import { json } from './registry-error.ts';
import { demandRole } from './registry-role.ts';
import { replaceApi } from './replace-api.ts';
import { readChecked, readFetchUrl, readNewApi, readReplacement, readTrialOrder } from './request-fields.ts';
import type { ChangeGround } from './store-changes.ts';
import type { TrialAnswer, TrialRequest } from './trial/run-trial.ts';
import { type CalledApi, type TrialGround, tryApi } from './try-api.ts';
import { createTurns, type Turns } from './turns.ts';

export interface RegistryOptions extends ChangeGround, Pick<TrialGround, 'openVariables'> {
  /** The public URL of what is served here, such as `https://api.example.com/api/registry`. */
  readonly url: string;
  /** Where documents may be fetched from. */
  readonly hosts: HostList;
  /** Sends a request to an API as the gateway would. */
  readonly send: (api: CalledApi, request: TrialRequest, signal: AbortSignal) => Promise<TrialAnswer>;
  /** Throws Forbidden for what a page of another origin makes a browser send. */
  readonly checkOrigin: (request: GatewayRequest) => void;
  readonly log: Log;
}

interface Registry extends RegistryOptions {
  /** Changes are made one after the other. */
  readonly inTurn: Turns;
  readonly seen: SeenApis;
}

/** Serves the registry of APIs, below the path that it is mounted at. */
export function createRegistryEndpoint(options: RegistryOptions) {
  const registry: Registry = { ...options, inTurn: createTurns(), seen: new Map() };
  return async (request: GatewayRequest): Promise<GatewayResponse> => {
    demandRole(request.principal);
    options.checkOrigin(request);
    const [path = ''] = request.target.split(/[?#]/, 1);
    const [, name, verb, ...more] = path.split('/').map(decodeSegment);
    if (more.length > 0) throw nothingHere();
    if (name === undefined || name === '') return serveAll(registry, request);
    if (name === '$check') return serveOnly(request, 'POST', () => check(registry, request));
    return verb === undefined ? serveApi(registry, request, name) : serveVerb(registry, request, name, verb);
  };
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

function bodyOf({ headers, body }: GatewayRequest): JsonObject {
  return parseJsonObject(headers['content-type'], body ?? new Uint8Array());
}

async function serveAll(registry: Registry, request: GatewayRequest): Promise<GatewayResponse> {
  if (request.method === 'GET') {
    const { projectFile, documents } = registry.folder;
    const reason = whyNotWritable(projectFile, documents) ?? null;
    const apis = (await listApis(registry)).map(summaryOf);
    return json(200, { writable: reason === null, reason, apis });
  }
  if (request.method !== 'POST') throw notAllowed('GET, HEAD, POST');
  const api = readNewApi(bodyOf(request));
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
      const replacement = readReplacement(bodyOf(request));
      await change(registry, request, name, 'replaced', () => replaceApi(registry, name, replacement));
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

type Verb = (registry: Registry, request: GatewayRequest, name: string) => Promise<GatewayResponse>;

const READS: ReadonlyMap<string, Verb> = new Map<string, Verb>([
  ['document', showDocument],
  ['operations', showOperations],
]);

const DEEDS: ReadonlyMap<string, Verb> = new Map<string, Verb>([
  ['add', changing('added to the project', addApi)],
  ['remove', changing('removed from the project', withdrawApi)],
  ['fetch', fetchAgain],
  ['try', tryOut],
]);

async function serveVerb(
  registry: Registry,
  request: GatewayRequest,
  name: string,
  verb: string,
): Promise<GatewayResponse> {
  const [read, deed] = [READS.get(verb), DEEDS.get(verb)];
  if (read !== undefined) return serveOnly(request, 'GET', () => read(registry, request, name));
  if (deed !== undefined) return serveOnly(request, 'POST', () => deed(registry, request, name));
  throw nothingHere();
}

async function showDocument(registry: Registry, _: GatewayRequest, name: string): Promise<GatewayResponse> {
  const { document, report } = (await findApi(registry, name)).examination;
  if (document === undefined) throw new GatewayError('Conflict', report.summary);
  return json(200, consoleDocument(document, `${registry.url}/${encodeURIComponent(name)}/try`));
}

async function showOperations(registry: Registry, _: GatewayRequest, name: string): Promise<GatewayResponse> {
  return json(200, { operations: (await findApi(registry, name)).examination.operations });
}

function changing(what: string, act: (registry: Registry, name: string) => Promise<void>): Verb {
  return async (registry, request, name) => {
    await change(registry, request, name, what, () => act(registry, name));
    return json(200, await describe(registry, name));
  };
}

async function fetchAgain(
  registry: Registry,
  request: GatewayRequest,
  name: string,
): Promise<GatewayResponse> {
  const url = readFetchUrl(bodyOf(request));
  const fetchText = (from: string): Promise<string> => fetchDocument(from, registry, request.signal);
  const fetched = await change(registry, request, name, 'fetched', () =>
    fetchOperations(registry, registry.seen, name, url, fetchText),
  );
  const { changed, added, removed, altered } = fetched;
  return json(200, {
    changed,
    added: added.map(writeOperation),
    removed: removed.map(writeOperation),
    altered: altered.map((operation) => ({ ...writeOperation(operation), what: operation.what })),
    api: await describe(registry, name),
  });
}

async function tryOut(registry: Registry, request: GatewayRequest, name: string): Promise<GatewayResponse> {
  const order = readTrialOrder(bodyOf(request));
  const send: TrialGround['send'] = (api, sent) => registry.send(api, sent, request.signal);
  return json(200, await tryApi({ ...registry, send }, name, order));
}

async function describe(registry: Registry, name: string) {
  const found = await findApi(registry, name);
  if (!registry.seen.has(name)) registry.seen.set(name, found);
  return detailOf(registry, found);
}

/** Every change is one that somebody can be asked about. */
async function change<Result>(
  { inTurn, log }: Registry,
  { id, principal }: GatewayRequest,
  api: string,
  what: string,
  act: () => Promise<Result>,
): Promise<Result> {
  const result = await inTurn(act);
  const user = principal.kind === 'user' ? principal.id : principal.kind;
  log.info({ id, user, api, change: what }, 'the registry of APIs was changed');
  return result;
}
