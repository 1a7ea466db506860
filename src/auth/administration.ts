import { randomBytes } from 'node:crypto';
import { GatewayError } from '../contract/gateway-error.ts';
import type { Log } from '../contract/log.ts';
import { createAccounts, LEAST_PASSWORD, LONGEST_PASSWORD, migrateAccounts } from './accounts.ts';
import { type AccountsDatabase, type AccountsPlace, openAccountsDatabase } from './accounts-database.ts';
import { type AccountsStore, createAccountsStore } from './accounts-store.ts';
import { type ApiKey, type ApiKeys, createApiKeys, type NewApiKey } from './api-keys.ts';
import type { AuditEvent } from './audit/audit-table.ts';
import { createAuditTrail, OPERATOR } from './audit/audit-trail.ts';
import { createKeyUses } from './key-uses.ts';
import { unopenedDatabase } from './unopened-database.ts';

/** An account as an operator makes it. */
export interface NewUser {
  readonly name: string;
  readonly email: string;
  readonly password: string;
  readonly roles: readonly string[];
}

/** An account as operators see it. */
export interface ListedUser {
  readonly name: string;
  readonly email: string;
  readonly roles: readonly string[];
  readonly disabled: boolean;
  readonly createdAt: Date;
}

/**
 * What operators do with accounts from outside the gateway. What cannot be done is a GatewayError, such as
 * NotFound for an address that nobody has.
 */
export interface Administration {
  /** Fails where the address has an account. */
  addUser(user: NewUser): Promise<void>;
  listUsers(): Promise<readonly ListedUser[]>;
  /** Ends all sessions of the account. */
  setPassword(email: string, password: string): Promise<void>;
  setRoles(email: string, roles: readonly string[]): Promise<void>;
  /** Ends all sessions of the account, and lets nobody in until it is enabled. */
  disable(email: string): Promise<void>;
  enable(email: string): Promise<void>;
  /** Removes the account with its sessions and its keys. */
  removeUser(email: string): Promise<void>;
  /** The key itself is told this once. */
  createKey(email: string, key: NewApiKey): Promise<string>;
  listKeys(email: string): Promise<readonly ApiKey[]>;
  revokeKey(email: string, id: string): Promise<void>;
  /** What was done, the latest first. */
  listAudit(most: number): Promise<readonly AuditEvent[]>;
  close(): Promise<void>;
}

/** What the accounts are seen to with. */
interface Tools {
  readonly store: AccountsStore;
  readonly keys: ApiKeys;
  readonly internalAdapter: Context['internalAdapter'];
  readonly hash: Context['password']['hash'];
  /** Takes note of what was done to the account with that address. */
  readonly note: (action: string, email: string) => void;
}

type Context = Awaited<ReturnType<typeof createAccounts>['$context']>;

/** Opens the accounts for operators; a running gateway goes on beside it. */
export async function openAdministration(
  place: AccountsPlace,
  auditDays: number,
  log: Log,
): Promise<Administration> {
  const database = await openForOperators(place, log);
  // Nothing is signed here.
  const secret = randomBytes(32).toString('base64url');
  const accounts = createAccounts({ database, secret, baseUrl: 'http://localhost', log });
  const { internalAdapter, password } = await accounts.$context;
  const store = createAccountsStore(accounts);
  const trail = createAuditTrail({ store, log, days: auditDays });
  const tools: Tools = {
    store,
    note: (action, subject) => trail.note({ action, subject, actor: OPERATOR }),
    keys: createApiKeys(store, createKeyUses(store)),
    internalAdapter,
    hash: password.hash,
  };
  return {
    ...administerUsers(tools),
    ...administerPasswords(tools),
    ...administerKeys(tools),
    listAudit: (most) => trail.latest(most),
    async close() {
      await trail.close();
      await database.close();
    },
  };
}

function administerUsers({
  store,
  internalAdapter,
  note,
}: Tools): Pick<Administration, 'listUsers' | 'setRoles' | 'disable' | 'enable' | 'removeUser'> {
  return {
    async listUsers() {
      const users = await store.findAll<ListedUser>('user', {});
      return [...users].sort((a, b) => a.email.localeCompare(b.email));
    },
    async setRoles(email, roles) {
      await store.update('user', { id: await findId(store, email) }, { roles: [...roles] });
      note(`set the roles of an account to ${roles.join(', ')}`, email);
    },
    async disable(email) {
      const id = await findId(store, email);
      await store.update('user', { id }, { disabled: true });
      await internalAdapter.deleteUserSessions(id);
      note('disabled an account', email);
    },
    async enable(email) {
      await store.update('user', { id: await findId(store, email) }, { disabled: false });
      note('enabled an account', email);
    },
    async removeUser(email) {
      await internalAdapter.deleteUser(await findId(store, email));
      note('removed an account', email);
    },
  };
}

function administerPasswords(tools: Tools): Pick<Administration, 'addUser' | 'setPassword'> {
  const { store, internalAdapter } = tools;
  return {
    async addUser({ name, email, password, roles }) {
      checkPassword(password);
      if ((await internalAdapter.findUserByEmail(email.toLowerCase())) !== null) {
        throw new GatewayError('Conflict', `There is an account of ${email} already.`);
      }
      const hash = await tools.hash(password);
      const fields = { name, email: email.toLowerCase(), emailVerified: true, roles: [...roles] };
      await internalAdapter.createOAuthUser(fields, passwordAccount(fields.email, hash));
      tools.note('made an account', email);
    },
    async setPassword(email, password) {
      checkPassword(password);
      const id = await findId(store, email);
      const hash = await tools.hash(password);
      const known = await store.count('account', { userId: id, providerId: 'credential' });
      if (known > 0) await internalAdapter.updatePassword(id, hash);
      else await internalAdapter.linkAccount(passwordAccount(id, hash));
      await internalAdapter.deleteUserSessions(id);
      tools.note('set the password of an account', email);
    },
  };
}

function administerKeys({
  store,
  keys,
  note,
}: Tools): Pick<Administration, 'createKey' | 'listKeys' | 'revokeKey'> {
  return {
    async createKey(email, key) {
      const created = await keys.create(await findId(store, email), key);
      note(`made the API key ${key.name} for an account`, email);
      return created.key;
    },
    listKeys: async (email) => keys.list(await findId(store, email)),
    async revokeKey(email, id) {
      const isRevoked = await keys.revoke(await findId(store, email), id);
      if (!isRevoked) throw new GatewayError('NotFound', `${email} has no key ${JSON.stringify(id)}.`);
      note(`revoked the API key ${id} of an account`, email);
    },
  };
}

/** Operators are told why it cannot be opened, unlike users. */
async function openForOperators(place: AccountsPlace, log: Log): Promise<AccountsDatabase> {
  let database: AccountsDatabase | undefined;
  try {
    database = await openAccountsDatabase(place, log);
    await migrateAccounts(database);
    return database;
  } catch (cause) {
    await database?.close();
    throw unopenedDatabase(place, cause);
  }
}

/** How better-auth keeps the password of an account. */
function passwordAccount(userId: string, hash: string) {
  return { userId, accountId: userId, providerId: 'credential', password: hash };
}

function checkPassword({ length }: string): void {
  if (length >= LEAST_PASSWORD && length <= LONGEST_PASSWORD) return;
  const expected = `${LEAST_PASSWORD} to ${LONGEST_PASSWORD} characters`;
  throw new GatewayError('BadRequest', `The password must have ${expected}, but has ${length}.`);
}

async function findId(store: AccountsStore, email: string): Promise<string> {
  const user = await store.findOne<{ readonly id: string }>('user', { email: email.toLowerCase() });
  if (user !== undefined) return user.id;
  throw new GatewayError('NotFound', `There is no account of ${email}.`);
}
