import { hash, randomBytes } from 'node:crypto';
import { GatewayError } from '../contract/gateway-error.ts';
import type { AccountsStore, User } from './accounts-store.ts';

/** The table of keys, in the words of better-auth's migrations. */
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
    },
  },
} as const;

const MODEL = 'apiKey';

interface StoredKey {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly start: string;
  readonly hash: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
}

/** What may be told of a key: its first characters, by which its user knows it, and not the rest. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly start: string;
  readonly createdAt: string;
  /** Null where the key is good until it is revoked. */
  readonly expiresAt: string | null;
}

export interface NewApiKey {
  readonly name: string;
  readonly expiresInDays: number | undefined;
}

/** Long-lived credentials that users make for programs that cannot sign in. Only their hashes are kept. */
export interface ApiKeys {
  /** The key itself is told this once. */
  create(userId: string, key: NewApiKey): Promise<ApiKey & { readonly key: string }>;
  list(userId: string): Promise<readonly ApiKey[]>;
  /** Whether the user had the key. */
  revoke(userId: string, id: string): Promise<boolean>;
  /** Whose key it is; undefined where it is nobody's, or no longer good. */
  userOf(key: string): Promise<User | undefined>;
}

const PREFIX = 'duo_';
const SECRET_BYTES = 32;
const MOST_KEYS = 50;
const DAY_MS = 86_400_000;

const API_KEY = /^duo_[\w-]{43}$/;

export function isApiKey(text: string): boolean {
  return API_KEY.test(text);
}

export function createApiKeys(store: AccountsStore): ApiKeys {
  return {
    async create(userId, { name, expiresInDays }) {
      if ((await store.count(MODEL, { userId })) >= MOST_KEYS) {
        throw new GatewayError('Conflict', `There are ${MOST_KEYS} keys already: revoke one first.`);
      }
      const key = `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64url')}`;
      const now = Date.now();
      const stored = await store.create<StoredKey>(MODEL, {
        userId,
        name,
        start: key.slice(0, PREFIX.length + 6),
        hash: hashKey(key),
        createdAt: new Date(now),
        expiresAt: expiresInDays === undefined ? null : new Date(now + expiresInDays * DAY_MS),
      });
      return { ...shown(stored), key };
    },
    async list(userId) {
      const keys = await store.findAll<StoredKey>(MODEL, { userId });
      return keys.map(shown).sort((a, b) => a.createdAt.localeCompare(b.createdAt));
    },
    revoke: async (userId, id) => (await store.remove(MODEL, { userId, id })) > 0,
    async userOf(key) {
      const stored = await store.findOne<StoredKey>(MODEL, { hash: hashKey(key) });
      if (stored === undefined || (stored.expiresAt !== null && stored.expiresAt.getTime() <= Date.now())) {
        return undefined;
      }
      return store.userById(stored.userId);
    },
  };
}

/** The key is 256 random bits: there is nothing to guess that a slow hash would have to protect. */
function hashKey(key: string): string {
  return hash('sha256', key, 'base64url');
}

function shown({ id, name, start, createdAt, expiresAt }: StoredKey): ApiKey {
  return {
    id,
    name,
    start,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
  };
}
