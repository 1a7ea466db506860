import { randomBytes } from 'node:crypto';
import type { ApiKey } from '../contract/accounts.ts';
import type { AuditedAct } from '../contract/audit.ts';
import type { AuditEvent } from '../contract/audit-event.ts';
import { GatewayError } from '../contract/gateway-error.ts';
import type { Log } from '../contract/log.ts';
import {
  checkPassword,
  createAccounts,
  createUserPasswords,
  migrateAccounts,
  type NewUser,
  replaceSecret,
  type UserPasswords,
} from './accounts/accounts.ts';
import { createAuditTrail, OPERATOR } from './audit/audit-trail.ts';
import {
  type AccountsDatabase,
  type AccountsPlace,
  openAccountsDatabase,
  unopenedDatabase,
} from './database/accounts-database.ts';
import { createAccountsStore } from './database/accounts-store.ts';
import {
  createInvitations,
  type Invitation,
  type Invitations,
  type NewInvitation,
} from './invitations/invitations.ts';
import { type ApiKeys, createApiKeys, createKeyUses, type NewApiKey } from './keys/api-keys.ts';
import { assertHardToGuess } from './passwords/password-judge.ts';
import {
  actsOf,
  assertNew,
  createUsers,
  type ListedUser,
  type UserChange,
  type Users,
} from './users/users.ts';

/**
 * The operations on accounts from the command line. Failures are GatewayErrors, such as NotFound for an
 * unknown address.
 */
export interface Administration {
  /** Records a change of the project by a command in the audit log. */
  noteChange(act: AuditedAct): void;
  /** Throws Conflict if the address has an account. */
  addUser(user: NewUser): Promise<void>;
  listUsers(): Promise<readonly ListedUser[]>;
  /** Throws BadRequest if the password is common or derived from the owner's data. */
  assertHardToGuess(password: string, owner: Parameters<typeof assertHardToGuess>[1]): Promise<void>;
  /** Also ends all sessions of the account. */
  setPassword(email: string, password: string): Promise<void>;
  setRoles(email: string, roles: readonly string[]): Promise<void>;
  /** Ends all sessions of the account, and rejects new ones until it is enabled. */
  disable(email: string): Promise<void>;
  enable(email: string): Promise<void>;
  /** Removes the account with its sessions and keys. */
  removeUser(email: string): Promise<void>;
  /**
   * Replaces an earlier invitation for the address, which must have no account. Returns the text of the
   * invitation.
   */
  invite(invitation: Omit<NewInvitation, 'invitedBy'>): Promise<string>;
  /** The invitations that are still valid. */
  listInvitations(): Promise<readonly Invitation[]>;
  withdrawInvitation(email: string): Promise<void>;
  /** Returns the key, which cannot be read again later. */
  createKey(email: string, key: NewApiKey): Promise<string>;
  listKeys(email: string): Promise<readonly ApiKey[]>;
  revokeKey(email: string, id: string): Promise<void>;
  /** The latest events, newest first. */
  listAudit(most: number): Promise<readonly AuditEvent[]>;
  /**
   * Makes the database accept another secret; returns the number of removed signing keys and API credentials,
   * which only the previous secret decrypts, or undefined if the database has this secret already.
   */
  replaceSecret(secret: string): Promise<number | undefined>;
  close(): Promise<void>;
}

/** The dependencies of the operators' commands. */
interface Tools {
  readonly users: Users;
  readonly passwords: UserPasswords;
  readonly keys: ApiKeys;
  /** Records an action on the account with that address. */
  readonly note: (action: string, email: string) => void;
}

/** Opens the accounts for operators, while a gateway may be running on the same database. */
export async function openAdministration(place: AccountsPlace, log: Log): Promise<Administration> {
  const database = await openForOperators(place, log);
  // Any secret will do, because commands sign nothing.
  const secret = randomBytes(32).toString('base64url');
  const accounts = createAccounts({ database, secret, baseUrl: 'http://localhost', log });
  const store = createAccountsStore(accounts);
  const trail = createAuditTrail({ database, store, log });
  const users = createUsers(database);
  const tools: Tools = {
    users,
    passwords: createUserPasswords(accounts, users),
    note: (action, subject) => trail.note({ action, subject, actor: OPERATOR }),
    keys: createApiKeys({ database, store, uses: createKeyUses(store) }),
  };
  return {
    noteChange: (act) => trail.note({ ...act, actor: OPERATOR }),
    ...administerUsers(tools),
    ...administerPasswords(tools),
    async assertHardToGuess(password, owner) {
      checkPassword(password);
      await assertHardToGuess(password, owner, undefined);
    },
    ...administerKeys(tools),
    ...administerInvitations(createInvitations(database), tools),
    async replaceSecret(secret) {
      const number = await replaceSecret({ database, secret, log });
      if (number !== undefined) trail.note({ action: 'replaced the secret', actor: OPERATOR });
      return number;
    },
    listAudit: async (most) => (await trail.latest(most)).events,
    async close() {
      await trail.close();
      await database.close();
    },
  };
}

function administerUsers({
  users,
  note,
}: Tools): Pick<Administration, 'listUsers' | 'setRoles' | 'disable' | 'enable' | 'removeUser'> {
  const change = async (email: string, changed: UserChange): Promise<void> => {
    const { id } = await users.findByEmail(email);
    for (const act of actsOf(await users.change(id, changed), changed)) note(act.action, email);
  };
  return {
    listUsers: () => allUsers(users),
    setRoles: (email, roles) => change(email, { roles }),
    disable: (email) => change(email, { isEnabled: false }),
    enable: (email) => change(email, { isEnabled: true }),
    async removeUser(email) {
      await users.remove((await users.findByEmail(email)).id);
      note('removed an account', email);
    },
  };
}

const USERS_AT_ONCE = 500;

async function allUsers(users: Users): Promise<readonly ListedUser[]> {
  const all: ListedUser[] = [];
  let after: string | undefined;
  do {
    const page = await users.page({ after, most: USERS_AT_ONCE });
    all.push(...page.users);
    after = page.next ?? undefined;
  } while (after !== undefined);
  return all;
}

function administerPasswords({
  users,
  passwords,
  note,
}: Tools): Pick<Administration, 'addUser' | 'setPassword'> {
  return {
    async addUser(user) {
      await passwords.addUser(user);
      note('created an account', user.email);
    },
    async setPassword(email, password) {
      await passwords.setPassword(await users.findByEmail(email), password);
      note('set the password of an account', email);
    },
  };
}

function administerKeys({
  users,
  keys,
  note,
}: Tools): Pick<Administration, 'createKey' | 'listKeys' | 'revokeKey'> {
  const idOf = async (email: string): Promise<string> => (await users.findByEmail(email)).id;
  return {
    async createKey(email, key) {
      const created = await keys.create(await idOf(email), key);
      note(`created the API key ${key.name} for an account`, email);
      return created.key;
    },
    listKeys: async (email) => keys.list(await idOf(email)),
    async revokeKey(email, id) {
      const revoked = await keys.revoke(await idOf(email), id);
      if (revoked === undefined)
        throw new GatewayError('NotFound', `${email} has no key ${JSON.stringify(id)}.`);
      note(`revoked the API key ${revoked} of an account`, email);
    },
  };
}

function administerInvitations(
  invitations: Invitations,
  { users, note }: Tools,
): Pick<Administration, 'invite' | 'listInvitations' | 'withdrawInvitation'> {
  return {
    async invite(invitation) {
      await assertNew(users, invitation.email);
      const { text } = await invitations.invite({ ...invitation, invitedBy: null });
      note('invited a user', invitation.email);
      return text;
    },
    listInvitations: () => invitations.list(),
    async withdrawInvitation(email) {
      const found = (await invitations.list()).find((each) => each.email === email.toLowerCase());
      const gone = found && (await invitations.withdraw(found.id));
      if (gone === undefined) throw new GatewayError('NotFound', `There is no open invitation for ${email}.`);
      note('withdrew an invitation', email);
    },
  };
}

/** Explains to operators why the database cannot be opened; users only learn that it cannot. */
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
