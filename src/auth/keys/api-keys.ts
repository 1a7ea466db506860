import { hash, randomBytes } from 'node:crypto';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { Scope } from '../../contract/scope.ts';
import type { AccountsStore, User } from '../database/accounts-store.ts';
import { API_KEYS, type StoredKey } from './api-key-table.ts';
import { storedScope, type WrittenScope, writtenScope } from './key-scope.ts';
import type { KeyUses } from './key-uses.ts';

/** What may be told of a key: its first characters, by which its user knows it, and not the rest. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly start: string;
  readonly createdAt: string;
  /** Null where the key is good until it is revoked. */
  readonly expiresAt: string | null;
  /** Resource to what the key may do with it; null where that is all that its user may do. */
  readonly scope: WrittenScope | null;
  /** To some minutes; null where it has not been used. */
  readonly lastUsedAt: string | null;
}

export interface NewApiKey {
  readonly name: string;
  readonly expiresInDays?: number | undefined;
  readonly scope?: Scope | undefined;
}

/** Who has shown a key, and what it is good for. */
export interface KeyHolder {
  readonly user: User;
  /** Undefined where the key may do all that its user may do. */
  readonly scope: Scope | undefined;
  readonly expiresAt: Date | null;
}

/** Long-lived credentials that users make for programs that cannot sign in. Only their hashes are kept. */
export interface ApiKeys {
  /** The key itself is told this once. */
  create(userId: string, key: NewApiKey): Promise<ApiKey & { readonly key: string }>;
  list(userId: string): Promise<readonly ApiKey[]>;
  /** Comes back with the key's name; undefined where the user had no such key. */
  revoke(userId: string, id: string): Promise<string | undefined>;
  /** Whose key it is; undefined where it is nobody's, or no longer good. The use is written down later. */
  holderOf(key: string): Promise<KeyHolder | undefined>;
}

const PREFIX = 'duo_';
const SECRET_BYTES = 32;
const MOST_KEYS = 50;
const DAY_MS = 86_400_000;

const API_KEY = /^duo_[\w-]{43}$/;

export function isApiKey(text: string): boolean {
  return API_KEY.test(text);
}

export function createApiKeys(store: AccountsStore, uses: KeyUses): ApiKeys {
  return {
    async create(userId, { name, expiresInDays, scope }) {
      await demandRoom(store, userId);
      const key = `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64url')}`;
      const now = Date.now();
      const stored = await store.create<StoredKey>(API_KEYS, {
        userId,
        name,
        start: key.slice(0, PREFIX.length + 6),
        hash: hashKey(key),
        createdAt: new Date(now),
        expiresAt: expiresInDays === undefined ? null : new Date(now + expiresInDays * DAY_MS),
        scope: scope?.text ?? null,
      });
      return { ...shown(stored, uses), key };
    },
    async list(userId) {
      const keys = await store.findAll<StoredKey>(API_KEYS, { userId });
      return keys.map((key) => shown(key, uses)).sort((a, b) => a.createdAt.localeCompare(b.createdAt));
    },
    async revoke(userId, id) {
      const key = await store.findOne<StoredKey>(API_KEYS, { userId, id });
      const isRevoked = key !== undefined && (await store.remove(API_KEYS, { userId, id })) > 0;
      return isRevoked ? key.name : undefined;
    },
    async holderOf(key) {
      const stored = await store.findOne<StoredKey>(API_KEYS, { hash: hashKey(key) });
      if (stored === undefined || hasExpired(stored)) return undefined;
      const user = await store.userById(stored.userId);
      if (user === undefined) return undefined;
      uses.note(stored.id, stored.lastUsedAt);
      const scope = stored.scope === null ? undefined : storedScope(stored.scope);
      return { user, scope, expiresAt: stored.expiresAt };
    },
  };
}

/** Keys that are good no longer are kept for their user to see, as long as there is room. */
async function demandRoom(store: AccountsStore, userId: string): Promise<void> {
  if ((await store.count(API_KEYS, { userId })) < MOST_KEYS) return;
  const keys = await store.findAll<StoredKey>(API_KEYS, { userId });
  const expired = keys.filter(hasExpired);
  if (expired.length === 0) {
    throw new GatewayError('Conflict', `There are ${MOST_KEYS} keys already: revoke one first.`);
  }
  for (const { id } of expired) await store.remove(API_KEYS, { userId, id });
}

function hasExpired({ expiresAt }: StoredKey): boolean {
  return expiresAt !== null && expiresAt.getTime() <= Date.now();
}

/** The key is 256 random bits: there is nothing to guess that a slow hash would have to protect. */
function hashKey(key: string): string {
  return hash('sha256', key, 'base64url');
}

function shown(
  { id, name, start, createdAt, expiresAt, scope, lastUsedAt }: StoredKey,
  uses: KeyUses,
): ApiKey {
  return {
    id,
    name,
    start,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
    scope: scope === null ? null : writtenScope(storedScope(scope)),
    lastUsedAt: (uses.lastOf(id) ?? lastUsedAt)?.toISOString() ?? null,
  };
}
