import type { Audit } from '../../contract/audit.ts';
import type { GatewayRequest, GatewayResponse } from '../../contract/exchange.ts';
import { GatewayError, loginRequired } from '../../contract/gateway-error.ts';
import type { Permissions } from '../../contract/permissions.ts';
import { EVERY_RESOURCE, type Scope } from '../../contract/scope.ts';
import type { User } from '../database/accounts-store.ts';
import type { ApiKeys, NewApiKey } from '../keys/api-keys.ts';
import { readScope } from '../keys/key-scope.ts';
import type { Authenticator } from '../providers/authenticator.ts';
import {
  json,
  NO_CONTENT,
  notAllowed,
  nothingHere,
  pathOf,
  readFields,
} from '../requests/account-answers.ts';
import { NAME } from '../requests/account-requests.ts';

export interface KeysHandlerOptions {
  readonly keys: ApiKeys;
  readonly authenticator: Authenticator;
  /** Who may do what at present. */
  readonly permissions: () => Permissions;
  readonly audit: Audit;
}

/**
 * Lets users make, list and revoke their keys: `GET` and `POST` at the path itself, `DELETE` at the key's id
 * below it. A session is needed, so that a key that leaked cannot make others.
 */
export function createKeysHandler({ keys, authenticator, permissions, audit }: KeysHandlerOptions) {
  return async (request: GatewayRequest): Promise<GatewayResponse> => {
    const user = await authenticator.userOfSession(request);
    if (user === undefined) throw loginRequired();
    const [, id] = /^\/([\w-]{1,64})$/.exec(pathOf(request)) ?? [];
    const sender = { ...request, principal: { kind: 'user', id: user.id, roles: user.roles } } as const;
    if (id !== undefined) {
      if (request.method !== 'DELETE') throw notAllowed('DELETE');
      const name = await keys.revoke(user.id, id);
      if (name === undefined) throw new GatewayError('NotFound', 'You have no such key.');
      authenticator.forget();
      audit({ action: 'revoked an API key', subject: name }, sender);
      return NO_CONTENT;
    }
    if (pathOf(request) !== '') throw nothingHere();
    if (request.method === 'GET') return json(200, { keys: await keys.list(user.id) });
    if (request.method === 'POST') {
      const key = readNewKey(request);
      if (key.scope !== undefined) demandScope(permissions(), user, key.scope);
      const created = await keys.create(user.id, key);
      audit({ action: 'made an API key', subject: key.name }, sender);
      return json(201, created);
    }
    throw notAllowed('GET, HEAD, POST');
  };
}

/** Forbids a key for what its user may not do: it would be good for nothing, as the one who asks might not notice. */
function demandScope(permissions: Permissions, { id, roles }: User, scope: Scope): void {
  for (const [resource, held] of scope.permissions) {
    if (resource === EVERY_RESOURCE) continue;
    for (const permission of held) permissions.demand({ kind: 'user', id, roles }, resource, permission);
  }
}

const MOST_DAYS = 3650;

const NEW_KEY = {
  name: NAME,
  expiresInDays: {
    isOptional: true,
    expected: `a whole number from 1 to ${MOST_DAYS}`,
    accepts: (value: unknown) =>
      typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MOST_DAYS,
  },
  // What it must be is said by readScope.
  scope: { isOptional: true, expected: 'a scope', accepts: () => true },
};

function readNewKey(request: GatewayRequest): NewApiKey {
  const { name, expiresInDays, scope } = readFields(NEW_KEY, request);
  return {
    name: String(name),
    expiresInDays: expiresInDays === undefined ? undefined : Number(expiresInDays),
    scope: scope === undefined ? undefined : readScope(scope),
  };
}
