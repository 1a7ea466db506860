import type { IncomingHttpHeaders } from 'node:http';
import { type Dispatcher, request as send } from 'undici';
import { readConfig } from '../../src/config/config.ts';
import { ACCESS } from '../auth/account-client.ts';
import { atEndOfFile } from '../support/end-of-file.ts';
import { NOBODY, roleKeys } from '../support/role-keys.ts';
import { type ReceivedRequest, type Reply, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, serveProject, sourceOf } from '../support/temporary-project.ts';
import { GUARDED_DOCUMENT, RESULTS, ROLES } from './guarded-document.ts';
import { PLACES } from './places.ts';

/** The types with changed values; a principal who may not view them must not notice. */
export type Changed = readonly string[];

/** The marker in all values of an entity. */
export function markerOf(type: string): string {
  return `secret-of-${type}`;
}

export interface GuardedAnswer {
  readonly status: number;
  /** All that the client sees: the body, and the headers that say something of the answer. */
  readonly text: string;
  /** The number of upstream calls. */
  readonly calls: number;
}

export interface GuardedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface GuardedGateway {
  ask(role: string, request: GuardedRequest): Promise<GuardedAnswer>;
  /** Has the upstream answer with other values for entities of these types. */
  change(types: Changed): void;
}

/** Without an account. */
export const ANONYMOUS = 'anonymous';

/** The real gateway before an upstream that has entities at every place, with one API key for each role. */
export async function startGuardedGateway(): Promise<GuardedGateway> {
  let changed: Changed = [];
  const upstream = await startStandInUpstream((request, reply) => answerAs(changed, request, reply));
  atEndOfFile(() => upstream.close());
  const project = createProject(
    {
      'api.json': JSON.stringify(GUARDED_DOCUMENT),
      '.meshrc.yaml': `sources:\n${sourceOf('Test', './api.json', upstream.url)}`,
    },
    atEndOfFile,
  );
  const environment = { ...ACCESS, DATABASE_URL: project.path('accounts.sqlite') };
  const config = readConfig({ ...environment, MESH_CONFIG: project.path('.meshrc.yaml') });
  const keys = await roleKeys(config, [...ROLES, NOBODY]);
  const { gateway } = await serveProject(project, environment, atEndOfFile);
  return {
    change(types) {
      changed = types;
    },
    async ask(role, { method, path, headers, body }) {
      const before = upstream.requests.length;
      const key = keys.get(role);
      // There are tens of thousands of them, of which each takes `fetch` as long as it takes the gateway.
      const response = await send(`${gateway.url}${path}`, {
        method: method as Dispatcher.HttpMethod,
        headers: { ...(key && { 'x-api-key': key }), 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body }),
      });
      const text = await response.body.text();
      const calls = upstream.requests.length - before;
      return { status: response.statusCode, text: `${comparedHeaders(response.headers)}\n${text}`, calls };
    },
  };
}

/** The headers without those that differ with every request, and without computed entity tags. */
function comparedHeaders(headers: IncomingHttpHeaders): string {
  const compared = Object.entries(headers).filter(
    ([name]) => !/^(date|etag|x-request-id|keep-alive|content-length)$/.test(name),
  );
  return compared.map(([name, value]) => `${name}: ${value}`).join('\n');
}

function answerAs(changed: Changed, { method, target }: ReceivedRequest, reply: Reply): void {
  const [path = ''] = target.split('?');
  if (method === 'DELETE') {
    reply.send(204);
    return;
  }
  const value = valueAt(changed, path);
  if (value === undefined) {
    reply.send(404);
    return;
  }
  const isCreate = method === 'POST' && /^\/\w+s$/.test(path);
  const answer = isCreate && Array.isArray(value) ? value[0] : value;
  reply.send(isCreate ? 201 : 200, JSON.stringify(answer), { 'content-type': 'application/json' });
}

function valueAt(changed: Changed, path: string): unknown {
  const entity = (type: string, place: string, id?: string): object => {
    const marker = `${markerOf(type)}-${changed.includes(type) ? 'new' : 'old'}-${place}`;
    return { id: id ?? marker, [type === 'Owner' ? 'title' : `${type.toLowerCase()}Name`]: marker };
  };
  const at = (place: string) => {
    const value = PLACES[place]?.value((type) => entity(type, place));
    // Not even the number of hidden entities may leak.
    return changed.includes('Secret') && place === 'list' && Array.isArray(value)
      ? [...value, entity('Secret', place)]
      : value;
  };
  const owner = {
    ...entity('Owner', 'title', 'o1'),
    ...Object.fromEntries(Object.keys(PLACES).map((place) => [place, at(place)])),
  };
  const results: Readonly<Record<string, unknown>> = {
    owner,
    secrets: [entity('Secret', 'secrets')],
    found: { note: 'n', found: entity('Secret', 'found'), all: [entity('Secret', 'all')] },
    envelope: { items: [owner], included: [entity('Secret', 'included')] },
    text: 'x',
  };
  const answers: Readonly<Record<string, unknown>> = {
    '/owners': [owner],
    '/owners/o1': owner,
    '/secrets': [entity('Secret', 'set', 's1')],
    '/secrets/s1': entity('Secret', 'set', 's1'),
    '/rivals': [entity('Rival', 'set', 'r1')],
    '/rivals/r1': entity('Rival', 'set', 'r1'),
    '/paged': {
      items: [{ id: 'p1' }],
      included: [entity('Secret', 'beside')],
      first: entity('Secret', 'first'),
      total: 1,
    },
    '/paged/p1': { id: 'p1' },
  };
  const known = answers[path];
  if (known !== undefined) return known;
  const result = /^\/(?:get|do|owners\/o1)\/(\w+)$/.exec(path)?.[1];
  if (result === undefined || !Object.hasOwn(RESULTS, result)) return undefined;
  return result.startsWith('of_') ? at(result.slice(3)) : results[result];
}
