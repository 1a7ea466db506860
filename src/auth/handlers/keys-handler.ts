import { z } from 'zod';
import type { Audit } from '../../contract/audit.ts';
import {
  type GatewayRequest,
  type GatewayResponse,
  jsonAnswer,
  NO_CONTENT,
  pathOf,
} from '../../contract/exchange.ts';
import { GatewayError, methodNotAllowed, nothingHere } from '../../contract/gateway-error.ts';
import type { Permissions } from '../../contract/permissions.ts';
import { EVERY_RESOURCE, type Scope } from '../../contract/principal.ts';
import { Secret } from '../../core/secret.ts';
import type { User } from '../database/accounts-store.ts';
import type { ApiKeys, NewApiKey } from '../keys/api-keys.ts';
import { readScope } from '../keys/key-scope.ts';
import type { UpstreamKeys } from '../keys/upstream-credentials.ts';
import type { Authenticator } from '../providers/authenticator.ts';
import { readFields } from '../requests/account-answers.ts';
import { must, NAME, wholeNumber } from '../requests/account-requests.ts';

interface KeysHandlerOptions {
  readonly keys: ApiKeys;
  readonly authenticator: Authenticator;
  /** The current permission table. */
  readonly permissions: () => Permissions;
  readonly audit: Audit;
}

/**
 * Lets users create, list and revoke API keys: `GET` and `POST` at the path itself, `DELETE` at `/{id}`.
 * Requires a session, so that a leaked key cannot create others.
 */
export function createKeysHandler({ keys, authenticator, permissions, audit }: KeysHandlerOptions) {
  return async (request: GatewayRequest): Promise<GatewayResponse> => {
    const user = await authenticator.requireUser(request);
    const [, id] = /^\/([\w-]{1,64})$/.exec(pathOf(request.target)) ?? [];
    const sender = { ...request, principal: { kind: 'user', id: user.id, roles: user.roles } } as const;
    if (id !== undefined) {
      if (request.method !== 'DELETE') throw methodNotAllowed('DELETE');
      const name = await keys.revoke(user.id, id);
      if (name === undefined) throw new GatewayError('NotFound', 'You have no such key.');
      authenticator.forget();
      audit({ action: 'revoked an API key', subject: name }, sender);
      return NO_CONTENT;
    }
    if (pathOf(request.target) !== '') throw nothingHere();
    if (request.method === 'GET') return jsonAnswer(200, { keys: await keys.list(user.id) });
    if (request.method === 'POST') {
      const key = readNewKey(request);
      if (key.scope !== undefined) assertScope(permissions(), user, key.scope);
      const created = await keys.create(user.id, key);
      audit({ action: 'created an API key', subject: key.name }, sender);
      return jsonAnswer(201, created);
    }
    throw methodNotAllowed('GET, HEAD, POST');
  };
}

/** Rejects a scope that the user's roles do not allow; such a key would never work. */
function assertScope(permissions: Permissions, { id, roles }: User, scope: Scope): void {
  for (const [resource, held] of scope.permissions) {
    if (resource === EVERY_RESOURCE) continue;
    for (const permission of held) permissions.demand({ kind: 'user', id, roles }, resource, permission);
  }
}

const MOST_DAYS = 3650;

const NEW_KEY = z.object({
  name: NAME,
  expiresInDays: wholeNumber(MOST_DAYS).optional(),
  // `readScope` validates it.
  scope: z.unknown().optional(),
});

function readNewKey(request: GatewayRequest): NewApiKey {
  const { scope, ...key } = readFields(NEW_KEY, request);
  return { ...key, scope: scope === undefined ? undefined : readScope(scope) };
}

interface UpstreamKeysHandlerOptions {
  readonly keys: UpstreamKeys;
  readonly authenticator: Pick<Authenticator, 'requireSignedIn'>;
  readonly apis: () => readonly string[];
}

/**
 * Lets users store their own keys for upstream APIs: `GET` at the path itself, `PUT` and `DELETE` at
 * `/{api}`. No response contains a key. An API key of the gateway cannot change one, because it may have
 * leaked.
 */
export function createUpstreamKeysHandler({ keys, authenticator, apis }: UpstreamKeysHandlerOptions) {
  return async (request: GatewayRequest): Promise<GatewayResponse> => {
    const user = await authenticator.requireSignedIn(request);
    const path = pathOf(request.target);
    if (path === '') {
      if (request.method !== 'GET') throw methodNotAllowed('GET, HEAD');
      return jsonAnswer(200, await describe(user.id));
    }
    const [, api] = /^\/(\w{1,128})$/.exec(path) ?? [];
    if (api === undefined) throw nothingHere();
    await change(request, user.id, api);
    return NO_CONTENT;
  };

  async function describe(owner: string): Promise<object> {
    const stored = new Map((await keys.list(owner)).map((key) => [key.api, key.updatedAt]));
    return { keys: apis().map((api) => ({ api, updatedAt: stored.get(api) ?? null })) };
  }

  async function change(request: GatewayRequest, owner: string, api: string): Promise<void> {
    switch (request.method) {
      case 'PUT': {
        const isKnown = apis().includes(api);
        if (!isKnown)
          throw new GatewayError('NotFound', 'There is no API with this name that takes a key of your own.');
        return keys.store(owner, api, new Secret(readFields(KEY, request).key));
      }
      // Also works for an API that was removed.
      case 'DELETE':
        if (await keys.remove(owner, api)) return;
        throw new GatewayError('NotFound', 'You have stored no key for that API.');
      default:
        throw methodNotAllowed('PUT, DELETE');
    }
  }
}

const LONGEST_KEY = 4096;

const KEY = z.object({
  key: must<string>(
    `a text of 1 to ${LONGEST_KEY} printable ASCII characters, without spaces at its ends`,
    (value) =>
      typeof value === 'string' &&
      value.length <= LONGEST_KEY &&
      /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value),
  ),
});
