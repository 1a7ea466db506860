import type { DBAdapter } from 'better-auth';
import { GatewayError } from '../../contract/gateway-error.ts';

/** The user of an account that is not disabled. */
export interface User {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly roles: readonly string[];
}

/** Required values by column. */
type Where = Readonly<Record<string, string>>;

/** The provider id that better-auth gives a password in a user's accounts; all others are issuers. */
export const PASSWORD_WAY = 'credential';

/**
 * Reads and writes the tables of the accounts in either database.
 *
 * Throws AccountsUnavailable if the database does not answer.
 */
export interface AccountsStore {
  findOne<Found>(model: string, where: Where): Promise<Found | undefined>;
  findAll<Found>(model: string, where: Where): Promise<readonly Found[]>;
  count(model: string, where: Where): Promise<number>;
  create<Created>(model: string, data: Readonly<Record<string, unknown>>): Promise<Created>;
  /** Returns the number of removed rows. */
  remove(model: string, where: Where): Promise<number>;
  update(model: string, where: Where, change: Readonly<Record<string, unknown>>): Promise<void>;
  userById(id: string): Promise<User | undefined>;
  /** The user of a session; undefined if it has ended. */
  userOfSession(token: string): Promise<User | undefined>;
}

export interface StoredUser extends User {
  readonly emailVerified: boolean;
  readonly disabled: boolean;
  /** True if the user signed up and no administrator has approved the account yet. */
  readonly waiting: boolean | null;
  /** The issuer that determines the roles; null if administrators do. */
  readonly rolesFrom: string | null;
}

interface StoredSession {
  readonly userId: string;
  readonly expiresAt: Date;
}

export function createAccountsStore(accounts: WithAdapter): AccountsStore {
  const ask = <Answer>(question: (adapter: Adapter) => Promise<Answer>): Promise<Answer> =>
    orUnavailable(async () => question((await accounts.$context).adapter));
  const findOne = <Found>(model: string, where: Where): Promise<Found | undefined> =>
    ask(async (adapter) => (await adapter.findOne<Found>({ model, where: clauses(where) })) ?? undefined);
  const enabledUser = async (where: Where): Promise<User | undefined> => {
    const user = await findOne<StoredUser>('user', where);
    return user === undefined || user.disabled ? undefined : user;
  };
  return {
    findOne,
    findAll: (model, where) => ask((adapter) => adapter.findMany({ model, where: clauses(where) })),
    count: (model, where) => ask((adapter) => adapter.count({ model, where: clauses(where) })),
    create: <Created>(model: string, data: Readonly<Record<string, unknown>>) =>
      ask((adapter) => adapter.create<Record<string, unknown>, Created>({ model, data: { ...data } })),
    remove: (model, where) => ask((adapter) => adapter.deleteMany({ model, where: clauses(where) })),
    async update(model, where, change) {
      await ask((adapter) => adapter.update({ model, where: clauses(where), update: { ...change } }));
    },
    userById: (id) => enabledUser({ id }),
    async userOfSession(token) {
      const session = await findOne<StoredSession>('session', { token });
      if (session === undefined || session.expiresAt.getTime() <= Date.now()) return undefined;
      return enabledUser({ id: session.userId });
    },
  };
}

/** Throws AccountsUnavailable if the database does not answer; other errors are thrown unchanged. */
export async function orUnavailable<Answer>(question: () => Promise<Answer>): Promise<Answer> {
  try {
    return await question();
  } catch (error) {
    throw error instanceof GatewayError ? error : accountsUnavailable(error);
  }
}

type Adapter = Pick<DBAdapter, 'findOne' | 'findMany' | 'count' | 'create' | 'update' | 'deleteMany'>;

/** A better-auth instance, whatever its options. */
interface WithAdapter {
  readonly $context: Promise<{ readonly adapter: Adapter }>;
}

function clauses(where: Where): { field: string; value: string }[] {
  return Object.entries(where).map(([field, value]) => ({ field, value }));
}

/** The error while the database does not answer. Tokens can still be verified. */
export function accountsUnavailable(cause: unknown): GatewayError {
  return new GatewayError('AccountsUnavailable', 'The accounts cannot be reached at the moment.', {
    cause,
    headers: { 'retry-after': '5' },
  });
}
