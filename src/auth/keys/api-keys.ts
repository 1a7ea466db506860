import type { ApiKey } from '../../contract/accounts.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { Scope } from '../../contract/principal.ts';
import type { AccountsDatabase } from '../database/accounts-database.ts';
import type { AccountsStore, User } from '../database/accounts-store.ts';
import { storedScope, writtenScope } from './key-scope.ts';
import { hashOfSecret, newSecret } from './random-secret.ts';

export interface NewApiKey {
  readonly name: string;
  readonly expiresInDays?: number | undefined;
  readonly scope?: Scope | undefined;
}

/** The owner of an API key and what the key allows. */
export interface KeyHolder {
  readonly user: User;
  /** Undefined if the key has all permissions of its user. */
  readonly scope: Scope | undefined;
  readonly expiresAt: Date | null;
}

/**
 * Long-lived credentials that users create for programs that cannot sign in. Only their hashes are stored.
 */
export interface ApiKeys {
  /** Returns the key, which cannot be read again later. */
  create(userId: string, key: NewApiKey): Promise<ApiKey & { readonly key: string }>;
  list(userId: string): Promise<readonly ApiKey[]>;
  /** Returns the key's name; undefined if the user has no such key. */
  revoke(userId: string, id: string): Promise<string | undefined>;
  /** The owner of a valid key, else undefined. Its last use is stored later. */
  holderOf(key: string): Promise<KeyHolder | undefined>;
}

interface ApiKeysOptions {
  readonly database: Pick<AccountsDatabase, 'inTurn'>;
  readonly store: AccountsStore;
  readonly uses: KeyUses;
}

const PREFIX = 'duo_';
const MOST_KEYS = 50;
const DAY_MS = 86_400_000;

const API_KEY = /^duo_[\w-]{43}$/;

export function isApiKey(text: string): boolean {
  return API_KEY.test(text);
}

export function createApiKeys({ database, store, uses }: ApiKeysOptions): ApiKeys {
  return {
    async create(userId, wanted) {
      const key = `${PREFIX}${newSecret()}`;
      // Concurrent requests that count the keys would all find room.
      const stored = await database.inTurn(`keys ${userId}`, async () => {
        await assertRoom(store, userId);
        return store.create<StoredKey>(API_KEYS, { userId, ...newRow(key, wanted) });
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
      const stored = await store.findOne<StoredKey>(API_KEYS, { hash: hashOfSecret(key) });
      if (stored === undefined || hasExpired(stored)) return undefined;
      const user = await store.userById(stored.userId);
      if (user === undefined) return undefined;
      uses.note(stored.id, stored.lastUsedAt);
      const scope = stored.scope === null ? undefined : storedScope(stored.scope);
      return { user, scope, expiresAt: stored.expiresAt };
    },
  };
}

function newRow(key: string, { name, expiresInDays, scope }: NewApiKey) {
  const now = Date.now();
  return {
    name,
    start: key.slice(0, PREFIX.length + 6),
    hash: hashOfSecret(key),
    createdAt: new Date(now),
    expiresAt: expiresInDays === undefined ? null : new Date(now + expiresInDays * DAY_MS),
    scope: scope?.text ?? null,
  };
}

/** Expired keys are kept for their user to see, as long as there is room. */
async function assertRoom(store: AccountsStore, userId: string): Promise<void> {
  if ((await store.count(API_KEYS, { userId })) < MOST_KEYS) return;
  const keys = await store.findAll<StoredKey>(API_KEYS, { userId });
  const expired = keys.filter(hasExpired);
  if (expired.length === 0) {
    throw new GatewayError('Conflict', `There are already ${MOST_KEYS} keys: revoke one first.`);
  }
  for (const { id } of expired) await store.remove(API_KEYS, { userId, id });
}

function hasExpired({ expiresAt }: StoredKey): boolean {
  return expiresAt !== null && expiresAt.getTime() <= Date.now();
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

/** The table of keys, in the format of better-auth's migrations. */
export const apiKeySchema = {
  apiKey: {
    fields: {
      userId: {
        type: 'string',
        required: true,
        index: true,
        references: { model: 'user', field: 'id', onDelete: 'cascade' },
      },
      name: { type: 'string', required: true },
      start: { type: 'string', required: true },
      hash: { type: 'string', required: true, unique: true },
      createdAt: { type: 'date', required: true },
      expiresAt: { type: 'date', required: false },
      /** Null if the key has all permissions of its user. */
      scope: { type: 'string', required: false },
      lastUsedAt: { type: 'date', required: false },
    },
  },
} as const;

const API_KEYS = 'apiKey';

interface StoredKey {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly start: string;
  readonly hash: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly scope: string | null;
  readonly lastUsedAt: Date | null;
}

/**
 * The times at which keys were used that are not stored yet. They are stored once a minute, so that no
 * request waits, and at most every five minutes for one key.
 */
export interface KeyUses {
  /** Records a use of a key; `known` is the last use that the database has. */
  note(id: string, known: Date | null): void;
  /** Undefined if the database has the last use. */
  lastOf(id: string): Date | undefined;
  /** Stores what is left. */
  close(): Promise<void>;
}

const SAVE_INTERVAL_MS = 60_000;
const MIN_SAVE_AGE_MS = 300_000;
/** Maximum number of keys whose use is remembered within a minute. */
const MAX_UNSAVED = 10_000;

export function createKeyUses(store: Pick<AccountsStore, 'update'>): KeyUses {
  const unsaved = new Map<string, Date>();
  let timer: NodeJS.Timeout | undefined;
  let telling: Promise<void> = Promise.resolve();

  /** Stores the uses; failed ones are retried with the next. */
  async function save(): Promise<void> {
    timer = undefined;
    for (const [id, at] of [...unsaved]) {
      try {
        await store.update(API_KEYS, { id }, { lastUsedAt: at });
      } catch {
        return;
      }
      if (unsaved.get(id) === at) unsaved.delete(id);
    }
  }

  function saveSoon(): void {
    telling = telling.then(save);
  }

  return {
    note(id, known) {
      const now = new Date();
      if (known !== null && now.getTime() - known.getTime() < MIN_SAVE_AGE_MS) return;
      if (unsaved.size < MAX_UNSAVED) unsaved.set(id, now);
      timer ??= setTimeout(saveSoon, SAVE_INTERVAL_MS).unref();
    },
    lastOf: (id) => unsaved.get(id),
    close() {
      clearTimeout(timer);
      saveSoon();
      return telling;
    },
  };
}
