import type { GatewayRequest, GatewayResponse } from '../contract/exchange.ts';
import { GatewayError } from '../contract/gateway-error.ts';
import { isMapping, type OpenApiDocument, own } from '../openapi/parse/openapi-version.ts';
import { writeOperation } from './apis/api-wire.ts';
import { findApi, findEntry } from './apis/registry.ts';
import { fetchDocument } from './fetch-document.ts';
import { fetchOperations } from './fetch-operations.ts';
import { grantApi } from './grant-api.ts';
import { listChanges } from './history/api-history.ts';
import { addApi, withdrawApi } from './project-membership.ts';
import { json } from './registry-error.ts';
import { bodyOf, change, describe, nameOf, nameOfUser, type Registry } from './registry-request.ts';
import { readConfirmed, readFetchUrl, readGrants, readState, readTrialOrder } from './request-fields.ts';
import { restoreApi } from './restore-api.ts';
import { type TryItDependencies, tryApi } from './try-api.ts';

/** What a path below an API does. */
export type Verb = (registry: Registry, request: GatewayRequest, name: string) => Promise<GatewayResponse>;

/** Those that are asked for. */
export const QUERY_ROUTES: ReadonlyMap<string, Verb> = new Map<string, Verb>([
  ['access', showAccess],
  ['document', showDocument],
  ['history', showHistory],
  ['operations', showOperations],
]);

/** Those that something is done by. */
export const ACTION_ROUTES: ReadonlyMap<string, Verb> = new Map<string, Verb>([
  ['add', changing('added to the project', addApi)],
  ['remove', changing('removed from the project', withdrawApi)],
  ['fetch', fetchAgain],
  ['grant', grant],
  ['restore', restore],
  ['try', tryOut],
]);

async function showDocument(registry: Registry, _: GatewayRequest, name: string): Promise<GatewayResponse> {
  const { document, report } = (await findApi(registry, name)).examination;
  if (document === undefined) throw new GatewayError('Conflict', report.summary);
  return json(200, consoleDocument(document, `${registry.url}/${encodeURIComponent(name)}/try`));
}

async function showOperations(registry: Registry, _: GatewayRequest, name: string): Promise<GatewayResponse> {
  return json(200, { operations: (await findApi(registry, name)).examination.operations });
}

async function showHistory(registry: Registry, _: GatewayRequest, name: string): Promise<GatewayResponse> {
  const changes = listChanges(registry.folder, findEntry(registry, name).name);
  const named = changes.map(async ({ by, ...change }) => ({
    ...change,
    // Earlier versions wrote the ids of accounts.
    by: by === null ? null : await nameOf(registry, by),
  }));
  return json(200, { changes: await Promise.all(named) });
}

async function restore(registry: Registry, request: GatewayRequest, name: string): Promise<GatewayResponse> {
  const body = bodyOf(request);
  const by = await nameOfUser(registry, request);
  const order = { state: readState(body), by, confirmed: readConfirmed(body) };
  const what = `brought back as of state ${order.state}`;
  await change(registry, request, name, what, () => restoreApi(registry, name, order));
  return json(200, await describe(registry, name));
}

async function showAccess(registry: Registry, _: GatewayRequest, name: string): Promise<GatewayResponse> {
  return json(200, (await findApi(registry, name)).examination.access);
}

async function grant(registry: Registry, request: GatewayRequest, name: string): Promise<GatewayResponse> {
  const rows = readGrants(bodyOf(request));
  const by = await nameOfUser(registry, request);
  const what = `granted ${rows.map((row) => row.name).join(', ')}`;
  await change(registry, request, name, what, () => grantApi(registry, name, rows, by));
  return showAccess(registry, request, name);
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
  const body = bodyOf(request);
  const by = await nameOfUser(registry, request);
  const order = { url: readFetchUrl(body), by, confirmed: readConfirmed(body) };
  const fetchText = (from: string): Promise<string> => fetchDocument(from, registry, request.signal);
  const fetched = await change(registry, request, name, 'fetched', () =>
    fetchOperations(registry, registry.seen, name, order, fetchText),
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
  const send: TryItDependencies['send'] = (api, sent) => registry.send(api, sent, request);
  return json(200, await tryApi({ ...registry, send }, name, order));
}

/**
 * The document as the test console is given it: every operation is tried at one address of ours, and the
 * gateway, which has the credentials, asks nobody for them.
 */
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
  return isMapping(value) ? value : {};
}

/** A path or an operation may have servers and security of its own. */
function withoutServers(value: unknown): unknown {
  if (!isMapping(value)) return value;
  const { servers: _, security: __, ...rest } = value;
  return rest;
}

function mapValues(value: unknown, change: (value: unknown) => unknown): unknown {
  if (!isMapping(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, change(inner)]));
}
