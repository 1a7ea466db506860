import type { ApiListing, ApiUsage, RelationReport } from '../contract/api-report.ts';
import {
  type GatewayRequest,
  type GatewayResponse,
  jsonAnswer,
  NO_CONTENT,
  pathOf,
} from '../contract/exchange.ts';
import { GatewayError, methodNotAllowed, nothingHere } from '../contract/gateway-error.ts';
import { isObject } from '../core/json-object.ts';
import { type OpenApiDocument, own } from '../openapi/parse/openapi-version.ts';
import { findApi, findEntry, listApis } from './apis/registry.ts';
import type { ChangeDependencies } from './apis/store-changes.ts';
import { disableApi, enableApi } from './disable-api.ts';
import { fetchDocument, fetchFiles } from './fetch-document.ts';
import { fetchOperations } from './fetch-operations.ts';
import { validateWritable } from './folder/api-folder.ts';
import { bundledDocument, textsInArchive } from './given-files.ts';
import { allowAges, grantApi, relateApi } from './grant-api.ts';
import { listChanges } from './history/api-history.ts';
import { acceptActions, learnFromAnswers, listLearnable, previewActions, suggestFor } from './improve-api.ts';
import { addApi, deleteApi, withdrawApi } from './project-membership.ts';
import { registerApi } from './register-api.ts';
import {
  assertRole,
  bodyOf,
  type Checks,
  change,
  createMutex,
  describe,
  nameOf,
  nameOfUser,
  type Registry,
  type RegistryOptions,
} from './registry-request.ts';
import { replaceApi, restoreApi } from './replace-api.ts';
import {
  readActions,
  readChecked,
  readConfirmed,
  readDecisions,
  readFetchUrl,
  readGrants,
  readMaxAges,
  readNewApi,
  readReason,
  readReplacement,
  readState,
  readTargets,
  readTrialOrder,
} from './request-fields.ts';
import { type TryItDependencies, tryApi } from './try-api.ts';

/** Serves the registry of APIs; paths are relative to its mount point. */
export function createRegistryEndpoint(options: RegistryOptions) {
  const registry: Registry = { ...options, inTurn: createMutex(), seen: new Map() };
  return async (request: GatewayRequest): Promise<GatewayResponse> => {
    assertRole(request.principal);
    options.checkOrigin(request);
    return options.progress.during(request, () => serve(registry, request));
  };
}

async function serve(registry: Registry, request: GatewayRequest): Promise<GatewayResponse> {
  const [, name, verb, ...more] = pathOf(request.target).split('/').map(decodeSegment);
  if (more.length > 0) throw nothingHere();
  if (name === undefined || name === '') return serveAll(registry, request);
  if (name === '$check') return serveOnly(request, 'POST', () => check(registry, request));
  if (name === '$progress' && verb !== undefined)
    return serveOnly(request, 'GET', () => answerStep(registry, verb));
  return verb === undefined ? serveApi(registry, request, name) : serveVerb(registry, request, name, verb);
}

/** The progress of the request with this id; null if it is not running on this instance. */
async function answerStep({ progress }: Registry, id: string): Promise<GatewayResponse> {
  return jsonAnswer(200, { step: progress.of(id) ?? null });
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw nothingHere();
  }
}

async function serveOnly(
  { method }: GatewayRequest,
  only: 'GET' | 'POST',
  serve: () => Promise<GatewayResponse>,
): Promise<GatewayResponse> {
  if (method !== only) throw methodNotAllowed(only === 'GET' ? 'GET, HEAD' : only);
  return serve();
}

async function serveAll(registry: Registry, request: GatewayRequest): Promise<GatewayResponse> {
  if (request.method === 'GET') {
    const { projectFile, documents } = registry.folder;
    const reason = validateWritable(projectFile, documents) ?? null;
    const { searchParams } = new URL(request.target, registry.url);
    const page = await listApis(registry, searchParams);
    return jsonAnswer(200, { writable: reason === null, reason, ...page } satisfies ApiListing);
  }
  if (request.method !== 'POST') throw methodNotAllowed('GET, HEAD, POST');
  const order = readNewApi(bodyOf(request));
  const document = await documentOf(registry, order, request.signal);
  const fileName = order.archive === undefined ? order.fileName : '';
  const api = { ...order, document, fileName };
  await change(registry, request, api.name, 'registered', (locked) => registerApi(locked, api));
  const location = `${registry.url}/${api.name}`;
  return jsonAnswer(201, await describe(registry, api.name), { location });
}

/** The text of a new API's document: the given one, that in an archive, or that at a URL. */
async function documentOf(
  registry: Registry,
  order: ReturnType<typeof readNewApi>,
  signal: AbortSignal,
): Promise<string> {
  if (order.document !== undefined) return order.document;
  if (order.archive !== undefined) return documentIn(registry, order.archive, order.name);
  if (order.withFiles !== true) return fetchDocument(order.url, registry, signal);
  return bundledDocument(registry, await fetchFiles(order.url, registry, signal), order.name, 'url');
}

async function documentIn(registry: Registry, archive: string, name: string): Promise<string> {
  return bundledDocument(registry, await textsInArchive(archive), name, 'archive');
}

async function check({ examinations }: Registry, request: GatewayRequest): Promise<GatewayResponse> {
  const { document, name, archive } = readChecked(bodyOf(request));
  const examined = await (archive === undefined
    ? examinations.ofText(document, name)
    : examinations.ofFiles(await textsInArchive(archive), name));
  const { report, model } = examined.examination;
  return jsonAnswer(200, { report, model });
}

async function serveApi(registry: Registry, request: GatewayRequest, name: string): Promise<GatewayResponse> {
  switch (request.method) {
    case 'GET':
      return jsonAnswer(200, await describe(registry, name));
    case 'PUT': {
      const body = bodyOf(request);
      const [{ archive, ...given }, confirmed] = [readReplacement(body), readConfirmed(body)];
      const document = archive === undefined ? given.document : await documentIn(registry, archive, name);
      const replacement = { ...given, document };
      const by = await nameOfUser(registry, request);
      await change(registry, request, name, 'replaced', (locked) =>
        replaceApi(locked, name, replacement, { by, confirmed }),
      );
      return jsonAnswer(200, await describe(registry, name));
    }
    case 'DELETE':
      await change(registry, request, name, 'deleted', (locked) => deleteApi(locked, name));
      registry.seen.delete(name);
      return NO_CONTENT;
    default:
      throw methodNotAllowed('GET, HEAD, PUT, DELETE');
  }
}

async function serveVerb(
  registry: Registry,
  request: GatewayRequest,
  name: string,
  verb: string,
): Promise<GatewayResponse> {
  if (verb === 'parameters') {
    const { parameters } = registry;
    return serveChecks(registry, request, name, {
      checks: parameters,
      what: 'the parameters of',
      deed: 'tried out',
    });
  }
  if (verb === 'relations') return serveRelations(registry, request, name);
  const [read, deed] = [QUERY_ROUTES.get(verb), ACTION_ROUTES.get(verb)];
  if (read !== undefined) return serveOnly(request, 'GET', () => read(registry, request, name));
  if (deed !== undefined) return serveOnly(request, 'POST', () => deed(registry, request, name));
  throw nothingHere();
}

/** Serves the outcomes of checks of an API's data: GET reports, POST begins the checks, DELETE forgets. */
async function serveChecks<Report>(
  registry: Registry,
  request: GatewayRequest,
  api: string,
  {
    checks,
    what,
    deed,
  }: { readonly checks: Checks<Report> | undefined; readonly what: string; readonly deed: string },
): Promise<GatewayResponse> {
  const { audit } = registry;
  const { name, source } = findEntry(registry, api);
  if (checks === undefined || source === undefined)
    throw new GatewayError('Conflict', `${name} is not served: nothing can be tried out.`);
  switch (request.method) {
    case 'GET':
      return jsonAnswer(200, checks.report(name, request) as object);
    case 'POST': {
      const report = checks.start(name, request);
      audit?.({ action: `${deed} ${what}`, subject: name }, request);
      return jsonAnswer(202, report as object);
    }
    case 'DELETE':
      checks.forget(name);
      audit?.({ action: `forgot ${what}`, subject: name }, request);
      return NO_CONTENT;
    default:
      throw methodNotAllowed('GET, HEAD, POST, DELETE');
  }
}

/** Of an API that is not served, the relations of its document are reported. */
async function serveRelations(
  registry: Registry,
  request: GatewayRequest,
  api: string,
): Promise<GatewayResponse> {
  const { relations } = registry;
  const { source, name } = findEntry(registry, api);
  if (request.method === 'GET' && (source === undefined || relations === undefined)) {
    const { examination } = await findApi(registry, name);
    return jsonAnswer(200, { isRunning: false, relations: examination.relations } satisfies RelationReport);
  }
  return serveChecks(registry, request, name, {
    checks: relations,
    what: 'the relations of',
    deed: 'checked',
  });
}

/** A handler for a path below an API. */
type Verb = (registry: Registry, request: GatewayRequest, name: string) => Promise<GatewayResponse>;

const QUERY_ROUTES: ReadonlyMap<string, Verb> = new Map<string, Verb>([
  ['access', showAccess],
  ['document', showDocument],
  ['history', showHistory],
  ['learnable', showLearnable],
  ['operations', showOperations],
  ['suggestions', showSuggestions],
  ['usage', showUsage],
]);

const ACTION_ROUTES: ReadonlyMap<string, Verb> = new Map<string, Verb>([
  ['add', add],
  ['remove', changing('removed from the project', withdrawApi)],
  ['fetch', fetchAgain],
  ['grant', grant],
  ['relate', relate],
  ['max-age', allow],
  ['restore', restore],
  ['disable', disable],
  ['enable', changing('turned on', enableApi)],
  ['learn', learn],
  ['preview', preview],
  ['accept', accept],
  ['try', tryOut],
]);

async function showDocument(registry: Registry, _: GatewayRequest, name: string): Promise<GatewayResponse> {
  const { document, report } = (await findApi(registry, name)).examination;
  if (document === undefined) throw new GatewayError('Conflict', report.summary);
  return jsonAnswer(200, consoleDocument(document, `${registry.url}/${encodeURIComponent(name)}/try`));
}

async function showOperations(registry: Registry, _: GatewayRequest, name: string): Promise<GatewayResponse> {
  return jsonAnswer(200, { operations: (await findApi(registry, name)).examination.operations });
}

async function showUsage(registry: Registry, _: GatewayRequest, name: string): Promise<GatewayResponse> {
  const usage = registry.usage?.(findEntry(registry, name).name);
  return jsonAnswer(200, usage ?? ({ limits: [], sets: [] } satisfies ApiUsage));
}

async function showHistory(registry: Registry, _: GatewayRequest, name: string): Promise<GatewayResponse> {
  const changes = listChanges(registry.folder, findEntry(registry, name).name);
  const named = changes.map(async ({ by, ...change }) => ({
    ...change,
    // Earlier versions stored ids of accounts.
    by: by === null ? null : await nameOf(registry, by),
  }));
  return jsonAnswer(200, { changes: await Promise.all(named) });
}

async function restore(registry: Registry, request: GatewayRequest, name: string): Promise<GatewayResponse> {
  const body = bodyOf(request);
  const by = await nameOfUser(registry, request);
  const order = { state: readState(body), by, confirmed: readConfirmed(body) };
  const what = `restored from state ${order.state}`;
  await change(registry, request, name, what, (locked) => restoreApi(locked, name, order));
  return jsonAnswer(200, await describe(registry, name));
}

async function add(registry: Registry, request: GatewayRequest, name: string): Promise<GatewayResponse> {
  const confirmed = request.body === undefined ? [] : readConfirmed(bodyOf(request));
  const order = { confirmed, isOperator: request.principal.kind === 'unrestricted' };
  await change(registry, request, name, 'added to the project', (locked) => addApi(locked, name, order));
  return jsonAnswer(200, await describe(registry, name));
}

async function disable(registry: Registry, request: GatewayRequest, name: string): Promise<GatewayResponse> {
  const reason = readReason(bodyOf(request));
  const by = await nameOfUser(registry, request);
  const what = reason === '' ? 'turned off' : `turned off: ${reason}`;
  await change(registry, request, name, what, (locked) => disableApi(locked, name, { by, reason }));
  return jsonAnswer(200, await describe(registry, name));
}

async function showAccess(registry: Registry, _: GatewayRequest, name: string): Promise<GatewayResponse> {
  return jsonAnswer(200, (await findApi(registry, name)).examination.access);
}

async function grant(registry: Registry, request: GatewayRequest, name: string): Promise<GatewayResponse> {
  const rows = readGrants(bodyOf(request));
  const by = await nameOfUser(registry, request);
  const what = `granted ${rows.map((row) => row.name).join(', ')}`;
  await change(registry, request, name, what, (locked) => grantApi(locked, name, rows, by));
  return showAccess(registry, request, name);
}

/** Accepts and refuses relations in the overlay of the API. */
async function relate(registry: Registry, request: GatewayRequest, name: string): Promise<GatewayResponse> {
  const decisions = readDecisions(bodyOf(request));
  const by = await nameOfUser(registry, request);
  const written = decisions.map(({ entityType, property, target }) =>
    target === null ? `refused ${entityType}/${property}` : `related ${entityType}/${property} to ${target}`,
  );
  await change(registry, request, name, written.join(', ').slice(0, LONGEST_NOTE), (locked) =>
    relateApi(locked, name, decisions, by),
  );
  return serveRelations(registry, { ...request, method: 'GET' }, name);
}

/** In characters. */
const LONGEST_NOTE = 500;

async function allow(registry: Registry, request: GatewayRequest, name: string): Promise<GatewayResponse> {
  const ages = readMaxAges(bodyOf(request));
  const by = await nameOfUser(registry, request);
  const what = `set how long answers are kept: ${ages.map((each) => `${each.name} ${each.maxAge || 'none'}`).join(', ')}`;
  await change(registry, request, name, what, (locked) => allowAges(locked, name, ages, by));
  return showAccess(registry, request, name);
}

function changing(
  what: string,
  act: (dependencies: ChangeDependencies, name: string) => Promise<void>,
): Verb {
  return async (registry, request, name) => {
    await change(registry, request, name, what, (locked) => act(locked, name));
    return jsonAnswer(200, await describe(registry, name));
  };
}

async function fetchAgain(
  registry: Registry,
  request: GatewayRequest,
  name: string,
): Promise<GatewayResponse> {
  const body = bodyOf(request);
  const by = await nameOfUser(registry, request);
  const order = { url: readFetchUrl(body), by, confirmed: readConfirmed(body) };
  const { registration } = findEntry(registry, name);
  const fetchText = async (from: string): Promise<string> =>
    registration?.withFiles === true
      ? bundledDocument(registry, await fetchFiles(from, registry, request.signal), name, 'url')
      : fetchDocument(from, registry, request.signal);
  const fetched = await change(registry, request, name, 'fetched', (locked) =>
    fetchOperations(locked, registry.seen, name, order, fetchText),
  );
  return jsonAnswer(200, { ...fetched, api: await describe(registry, name) });
}

async function showLearnable(registry: Registry, _: GatewayRequest, name: string): Promise<GatewayResponse> {
  return jsonAnswer(200, { reads: await listLearnable(registry, name) });
}

async function showSuggestions(
  registry: Registry,
  _: GatewayRequest,
  name: string,
): Promise<GatewayResponse> {
  return jsonAnswer(200, { suggestions: await suggestFor(registry, name) });
}

async function learn(registry: Registry, request: GatewayRequest, name: string): Promise<GatewayResponse> {
  const targets = readTargets(bodyOf(request));
  const result = await learnFromAnswers(registry, name, targets, request);
  registry.audit?.({ action: 'learned from the answers of', subject: name }, request);
  return jsonAnswer(200, result);
}

async function preview(registry: Registry, request: GatewayRequest, name: string): Promise<GatewayResponse> {
  return jsonAnswer(200, await previewActions(registry, name, readActions(bodyOf(request))));
}

async function accept(registry: Registry, request: GatewayRequest, name: string): Promise<GatewayResponse> {
  const body = bodyOf(request);
  const actions = readActions(body);
  const order = { by: await nameOfUser(registry, request), confirmed: readConfirmed(body) };
  await change(registry, request, name, 'given schemas and settings', (locked) =>
    acceptActions(locked, name, actions, order),
  );
  return jsonAnswer(200, await describe(registry, name));
}

async function tryOut(registry: Registry, request: GatewayRequest, name: string): Promise<GatewayResponse> {
  const order = readTrialOrder(bodyOf(request));
  const send: TryItDependencies['send'] = (api, sent) => registry.send(api, sent, request);
  return jsonAnswer(200, await tryApi({ ...registry, send }, name, order));
}

/** The document for the test console: all operations are sent to the gateway, which adds the credentials. */
function consoleDocument(document: OpenApiDocument, tryUrl: string): OpenApiDocument {
  const { security: _, ...rest } = document;
  const { securitySchemes: __, ...components } = mappingOf(own(document, 'components'));
  return {
    ...rest,
    servers: [{ url: tryUrl }],
    paths: mapValues(own(document, 'paths'), (item) => mapValues(withoutServers(item), withoutServers)),
    components,
  };
}

function mappingOf(value: unknown): OpenApiDocument {
  return isObject(value) ? value : {};
}

/** Paths and operations may have their own servers and security. */
function withoutServers(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { servers: _, security: __, ...rest } = value;
  return rest;
}

function mapValues(value: unknown, change: (value: unknown) => unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, change(inner)]));
}
