import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { CredentialVault, StoredSecret } from '../../contract/credential-vault.ts';
import type { Log } from '../../contract/log.ts';
import { entryLimit } from '../../core/entry-limit.ts';
import type { Secret } from '../../core/secret.ts';
import type { AccountsDatabase } from '../database/accounts-database.ts';
import type { AccountsStore } from '../database/accounts-store.ts';
import type { TextSeal } from '../database/sealed-text.ts';

/** The tables of credentials, in the format of better-auth's migrations. */
export const upstreamCredentialSchema = {
  upstreamText: {
    fields: {
      name: { type: 'string', required: true, unique: true },
      sealed: { type: 'string', required: true },
      updatedAt: { type: 'date', required: true },
    },
  },
  upstreamKey: {
    fields: {
      /** Identifies the user and the API: a user has one key per API. */
      place: { type: 'string', required: true, unique: true },
      /** The owner of the key; users of other issuers have no account. */
      owner: { type: 'string', required: true, index: true },
      userId: {
        type: 'string',
        required: false,
        references: { model: 'user', field: 'id', onDelete: 'cascade' },
      },
      api: { type: 'string', required: true },
      sealed: { type: 'string', required: true },
      updatedAt: { type: 'date', required: true },
    },
  },
} as const;

const TEXTS = 'upstreamText';
const KEYS = 'upstreamKey';

interface StoredText {
  readonly sealed: string;
}

interface StoredKey extends StoredText {
  readonly api: string;
  readonly updatedAt: Date;
}

/** The public data of a stored key, without the key. */
interface UpstreamKey {
  readonly api: string;
  readonly updatedAt: string;
}

export interface UpstreamKeys {
  list(owner: string): Promise<readonly UpstreamKey[]>;
  /** Replaces an earlier key. */
  store(owner: string, api: string, key: Secret): Promise<void>;
  /** True if there was a key. */
  remove(owner: string, api: string): Promise<boolean>;
}

export interface UpstreamCredentials extends CredentialVault, UpstreamKeys {}

interface UpstreamCredentialsOptions {
  readonly database: AccountsDatabase;
  readonly store: AccountsStore;
  readonly seal: TextSeal;
  readonly log: Log;
}

/** Time that a looked-up key is used without another look, even if another instance has changed it. */
const LOOKED_UP_MS = 10_000;
const MOST_LOOKED_UP = 10_000;

/** Stores credentials in the tables of the accounts. */
export function createUpstreamCredentials(options: UpstreamCredentialsOptions): UpstreamCredentials {
  const { store } = options;
  const found = new LRUCache<string, Secret>({
    ...entryLimit(MOST_LOOKED_UP),
    ttl: LOOKED_UP_MS,
  });
  return {
    withText: (name, work) => options.database.inTurn(name, async () => work(await keptText(options, name))),
    async keyOf(owner, api) {
      const place = placeKey(owner, api);
      const known = found.get(place);
      if (known !== undefined) return known;
      const stored = await store.findOne<StoredKey>(KEYS, { place });
      const key = stored && options.seal.open(stored.sealed, place);
      if (key !== undefined) found.set(place, key);
      return key;
    },
    async list(owner) {
      const keys = await store.findAll<StoredKey>(KEYS, { owner });
      return keys
        .map(({ api, updatedAt }) => ({ api, updatedAt: updatedAt.toISOString() }))
        .sort((a, b) => a.api.localeCompare(b.api));
    },
    async store(owner, api, key) {
      const place = placeKey(owner, api);
      const account = await store.userById(owner);
      const row = { owner, userId: account?.id ?? null, api, sealed: options.seal.seal(key, place) };
      await options.database.inTurn(place, () => put(options, KEYS, { place }, row));
      found.delete(place);
    },
    async remove(owner, api) {
      const place = placeKey(owner, api);
      const count = await store.remove(KEYS, { place });
      found.delete(place);
      return count > 0;
    },
  };
}

function placeKey(owner: string, api: string): string {
  return hash('sha256', JSON.stringify([owner, api]), 'base64url');
}

async function keptText(options: UpstreamCredentialsOptions, name: string): Promise<StoredSecret> {
  const { seal, store, log } = options;
  const stored = await store.findOne<StoredText>(TEXTS, { name });
  const text = stored && seal.open(stored.sealed, name);
  if (stored !== undefined && text === undefined) {
    log.warn({ name }, 'AUTH_SECRET has changed: what was kept for an upstream cannot be decrypted');
  }
  return {
    text,
    replace: (next) => put(options, TEXTS, { name }, { sealed: seal.seal(next, name) }),
  };
}

/** Updates the row, or inserts it. The caller excludes concurrent changes. */
async function put(
  { store }: UpstreamCredentialsOptions,
  model: string,
  where: Readonly<Record<string, string>>,
  data: Readonly<Record<string, unknown>>,
): Promise<void> {
  const change = { ...data, updatedAt: new Date() };
  if ((await store.findOne(model, where)) === undefined) await store.create(model, { ...where, ...change });
  else await store.update(model, where, change);
}
