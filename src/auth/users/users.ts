import { type ExpressionBuilder, type Kysely, sql } from 'kysely';
import type { User, UserPage, UserState } from '../../contract/accounts.ts';
import type { AuditedAct } from '../../contract/audit.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import { ADMINISTRATOR, isAdministrator } from '../../contract/principal.ts';
import type { AccountsDatabase } from '../database/accounts-database.ts';
import { orUnavailable } from '../database/accounts-store.ts';
import {
  patternOf,
  readFlag,
  readMoment,
  readNames,
  type SqlValues,
  sqlValuesOf,
} from '../database/sql-values.ts';

const USER_STATES: readonly UserState[] = ['active', 'waiting', 'disabled'];

/** An account as stored, with dates as `Date`. */
export type ListedUser = User<Date>;

interface UserQuery {
  /** A text that the name or the e-mail address contains, in any case. */
  readonly search?: string | undefined;
  readonly state?: UserState | undefined;
  /** The e-mail address after which the page begins. */
  readonly after?: string | undefined;
  readonly most: number;
}

/** The changes to an account. */
export interface UserChange {
  readonly roles?: readonly string[] | undefined;
  /** Disabling an account ends its sessions. */
  readonly isEnabled?: boolean | undefined;
}

/**
 * The accounts, for administrators.
 *
 * One administrator always remains: a change that would disable, demote or remove the last enabled one throws
 * Conflict, even with concurrent requests or processes. Throws NotFound for an unknown account, and
 * AccountsUnavailable if the database does not answer.
 */
export interface Users {
  page(query: UserQuery): Promise<UserPage<Date>>;
  count(state: UserState): Promise<number>;
  /** The number of active sessions. */
  countSessions(id: string): Promise<number>;
  find(id: string): Promise<ListedUser>;
  has(email: string): Promise<boolean>;
  findByEmail(email: string): Promise<ListedUser>;
  /** Returns the account before the change. */
  change(id: string, change: UserChange): Promise<ListedUser>;
  endSessions(id: string): Promise<void>;
  /** Removes the account with its sessions, passwords and keys; returns it. */
  remove(id: string): Promise<ListedUser>;
}

type Tables = {
  readonly user: {
    readonly id: string;
    readonly name: string;
    readonly email: string;
    readonly roles: unknown;
    readonly disabled: unknown;
    readonly waiting: unknown;
    readonly createdAt: unknown;
    readonly lastSignInAt: unknown;
  };
  readonly session: { readonly userId: string; readonly expiresAt: unknown };
  readonly account: { readonly userId: string };
};

type Rows = Kysely<Tables>;
type Condition = ExpressionBuilder<Tables, 'user'>;

const COLUMNS = ['id', 'name', 'email', 'roles', 'disabled', 'waiting', 'createdAt', 'lastSignInAt'] as const;

export function createUsers(database: AccountsDatabase): Users {
  const rows: Rows = database.tables.withTables<Tables>();
  const values = sqlValuesOf(database);
  const alone = <Result>(work: (rows: Rows) => Promise<Result>): Promise<Result> =>
    orUnavailable(() =>
      rows.transaction().execute(async (transaction) => {
        if (database.kind === 'postgres') await takeTurn(transaction);
        return work(transaction);
      }),
    );
  return {
    page: (query) => orUnavailable(() => readPage(database.records.withTables<Tables>(), values, query)),
    count: (state) => orUnavailable(() => countUsers(rows, values, { state })),
    countSessions: (id) => orUnavailable(() => countSessions(rows, values, id)),
    find: (id) => orUnavailable(() => findUser(rows, 'id', id)),
    has: (email) =>
      orUnavailable(async () => (await userRow(rows, 'email', email.toLowerCase())) !== undefined),
    findByEmail: (email) => orUnavailable(() => findUser(rows, 'email', email.toLowerCase())),
    change: (id, change) =>
      alone(async (inTurn) => {
        const user = await findUser(inTurn, 'id', id);
        if (takesAdministrator(user, change)) await assertAnotherAdministrator(inTurn, values, id);
        await writeChange(inTurn, values, id, change);
        return user;
      }),
    async endSessions(id) {
      await orUnavailable(() => rows.deleteFrom('session').where('userId', '=', id).execute());
    },
    remove: (id) =>
      alone(async (inTurn) => {
        const user = await findUser(inTurn, 'id', id);
        if (takesAdministrator(user, { isEnabled: false }))
          await assertAnotherAdministrator(inTurn, values, id);
        for (const table of ['session', 'account'] as const)
          await inTurn.deleteFrom(table).where('userId', '=', id).execute();
        await inTurn.deleteFrom('user').where('id', '=', id).execute();
        return user;
      }),
  };
}

/** The key of an advisory lock that no other program uses on this database: "duousers" in ASCII. */
const TURN = '7238816991394689651';

/**
 * Excludes other changes of administrators until the transaction ends. SQLite has one writer at a time
 * anyway.
 */
async function takeTurn(transaction: Rows): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${TURN}::bigint)`.execute(transaction);
}

async function readPage(rows: Rows, values: SqlValues, query: UserQuery): Promise<UserPage<Date>> {
  const found = await rows
    .selectFrom('user')
    .select(COLUMNS)
    .where((is) => is.and(conditions(is, values, query)))
    .$if(query.after !== undefined, (those) => those.where('email', '>', query.after ?? ''))
    .orderBy('email')
    .limit(query.most + 1)
    .execute();
  const users = found.slice(0, query.most).map(listedUser);
  const next = found.length > query.most ? (users.at(-1)?.email ?? null) : null;
  return { users, total: await countUsers(rows, values, query), next };
}

async function countUsers(
  rows: Rows,
  values: SqlValues,
  query: Pick<UserQuery, 'search' | 'state'>,
): Promise<number> {
  const { number } = await rows
    .selectFrom('user')
    .select(({ fn }) => fn.countAll().as('number'))
    .where((is) => is.and(conditions(is, values, query)))
    .executeTakeFirstOrThrow();
  return Number(number);
}

function conditions(
  is: Condition,
  values: SqlValues,
  { search, state }: Pick<UserQuery, 'search' | 'state'>,
) {
  const waits = is.eb('waiting', '=', values.flag(true));
  const doesNot = is.or([is.eb('waiting', 'is', null), is.eb('waiting', '=', values.flag(false))]);
  const ofState = {
    active: [is.eb('disabled', '=', values.flag(false))],
    waiting: [is.eb('disabled', '=', values.flag(true)), waits],
    disabled: [is.eb('disabled', '=', values.flag(true)), doesNot],
  };
  return [
    ...(state === undefined ? [] : ofState[state]),
    ...(search === undefined ? [] : [is.or([has('name', search, values), has('email', search, values)])]),
  ];
}

function has(column: 'name' | 'email', text: string, { like }: SqlValues) {
  return sql<boolean>`${sql.ref(column)} ${sql.raw(like)} ${patternOf(text)} ESCAPE '\\'`;
}

async function countSessions(rows: Rows, values: SqlValues, id: string): Promise<number> {
  const { number } = await rows
    .selectFrom('session')
    .select(({ fn }) => fn.countAll().as('number'))
    .where('userId', '=', id)
    .where('expiresAt', '>', values.moment(new Date()))
    .executeTakeFirstOrThrow();
  return Number(number);
}

async function findUser(rows: Rows, column: 'id' | 'email', value: string): Promise<ListedUser> {
  const found = await userRow(rows, column, value);
  if (found !== undefined) return listedUser(found);
  const whose = column === 'email' ? `${value} has no account.` : 'There is no account with this id.';
  throw new GatewayError('NotFound', whose);
}

function userRow(rows: Rows, column: 'id' | 'email', value: string): Promise<Tables['user'] | undefined> {
  return rows.selectFrom('user').select(COLUMNS).where(column, '=', value).executeTakeFirst();
}

export async function assertNew(users: Pick<Users, 'has'>, email: string): Promise<void> {
  if (await users.has(email)) throw new GatewayError('Conflict', `${email} already has an account.`);
}

function listedUser({
  disabled,
  waiting,
  roles,
  createdAt,
  lastSignInAt,
  ...user
}: Tables['user']): ListedUser {
  return {
    id: user.id,
    name: user.name,
    email: user.email,
    roles: readNames(roles),
    state: !readFlag(disabled) ? 'active' : readFlag(waiting) ? 'waiting' : 'disabled',
    createdAt: readMoment(createdAt),
    lastSignInAt: lastSignInAt === null ? null : readMoment(lastSignInAt),
  };
}

/** Whether the change removes an active administrator. */
function takesAdministrator(user: ListedUser, { roles = user.roles, isEnabled = true }: UserChange): boolean {
  const administers = user.state === 'active' && isAdministrator(user);
  return administers && !(isEnabled && isAdministrator({ roles }));
}

/**
 * Names of roles contain no quotation mark, so the quoted name matches this role only. LIKE would ignore case
 * in SQLite.
 */
const ADMINISTERS = sql<boolean>`REPLACE(CAST(roles AS text), ${JSON.stringify(ADMINISTRATOR)}, '') <> CAST(roles AS text)`;

async function assertAnotherAdministrator(rows: Rows, values: SqlValues, id: string): Promise<void> {
  const other = await rows
    .selectFrom('user')
    .select('id')
    .where('id', '!=', id)
    .where('disabled', '=', values.flag(false))
    .where(ADMINISTERS)
    .limit(1)
    .executeTakeFirst();
  if (other !== undefined) return;
  const message = `This is the last account with the role ${ADMINISTRATOR} that can sign in: give the role to another account first.`;
  throw new GatewayError('Conflict', message);
}

async function writeChange(
  rows: Rows,
  values: SqlValues,
  id: string,
  { roles, isEnabled }: UserChange,
): Promise<void> {
  const changed = {
    ...(roles !== undefined && { roles: values.names(roles) }),
    ...(isEnabled !== undefined && { disabled: values.flag(!isEnabled), waiting: values.flag(false) }),
  };
  if (Object.keys(changed).length === 0) return;
  await rows.updateTable('user').set(changed).where('id', '=', id).execute();
  if (isEnabled === false) await rows.deleteFrom('session').where('userId', '=', id).execute();
}

const AT_ONCE = 50;
/** Maximum length of a search text: that of e-mail addresses and names. */
const LONGEST = 254;

/** Parses a query such as `search=anna&state=active&after=ben@example.com`. */
export function readUserQuery(query: URLSearchParams): UserQuery {
  return {
    search: textOf(query, 'search'),
    state: stateOf(query.get('state')),
    after: textOf(query, 'after'),
    most: AT_ONCE,
  };
}

function textOf(parameters: URLSearchParams, name: string): string | undefined {
  const text = parameters.get(name)?.trim() ?? '';
  if (text.length > LONGEST)
    throw new GatewayError('BadRequest', `${name} must have at most ${LONGEST} characters.`, {
      target: name,
    });
  return text === '' ? undefined : text;
}

function stateOf(text: string | null): UserState | undefined {
  if (text === null || text === '') return undefined;
  const state = USER_STATES.find((each) => each === text);
  if (state !== undefined) return state;
  const expected = `${USER_STATES.slice(0, -1).join(', ')} or ${USER_STATES.at(-1)}`;
  throw new GatewayError('BadRequest', `state must be ${expected}.`, { target: 'state' });
}

/** The audit events of a change to an account. */
export function actsOf(
  { email, state }: Pick<ListedUser, 'email' | 'state'>,
  { roles, isEnabled }: UserChange,
): readonly AuditedAct[] {
  const enabling = state === 'waiting' ? 'approved an account' : 'enabled an account';
  return [
    ...(roles === undefined ? [] : [`set the roles of an account to ${roles.join(', ')}`]),
    ...(isEnabled === undefined ? [] : [isEnabled ? enabling : 'disabled an account']),
  ].map((action) => ({ action, subject: email }));
}
