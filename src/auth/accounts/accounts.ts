import { AsyncLocalStorage } from 'node:async_hooks';
import { type BetterAuthOptions, betterAuth, type GenericEndpointContext } from 'better-auth';
import { APIError, createAuthEndpoint } from 'better-auth/api';
import { setSessionCookie } from 'better-auth/cookies';
import { getMigrations } from 'better-auth/db/migration';
import { bearer, jwt } from 'better-auth/plugins';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { Log } from '../../contract/log.ts';
import { USER } from '../../contract/principal.ts';
import { auditSchema } from '../audit/audit-trail.ts';
import type { AccountsDatabase } from '../database/accounts-database.ts';
import { orUnavailable, PASSWORD_WAY } from '../database/accounts-store.ts';
import { createIndexes } from '../database/pruner.ts';
import { hasSecret, secretCheckSchema, storeSecretCheck, wrongSecret } from '../database/secret-check.ts';
import { type Invitation, type Invitations, invitationSchema } from '../invitations/invitations.ts';
import { apiKeySchema } from '../keys/api-keys.ts';
import { upstreamCredentialSchema } from '../keys/upstream-credentials.ts';
import type { AccountMail } from '../mail/account-mail.ts';
import { hashOnce, LEAST_PASSWORD, LONGEST_PASSWORD, verifyPassword } from '../passwords/password-hash.ts';
import { originsOf } from '../requests/account-requests.ts';
import { createRateLimitTable } from '../requests/rate-limits.ts';
import { assertNew, createUsers, type ListedUser, type Users } from '../users/users.ts';

interface AccountsOptions {
  readonly database: AccountsDatabase;
  readonly secret: string;
  /** The public URL: issuer and audience of tokens, origin of the screens. */
  readonly baseUrl: string;
  readonly log: Log;
  /** Mail to users about their accounts; undefined if the gateway sends none. */
  readonly mail?: AccountMail | undefined;
  /** The users who may create an account for themselves. */
  readonly signUp?: SignUp;
}

/** Roles of users who sign up by themselves. */
const SIGN_UP_ROLES: readonly string[] = [USER];
const TOKEN_LIFE = '5m';

export type Accounts = ReturnType<typeof createAccounts>;

export function createAccounts(options: AccountsOptions) {
  const { baseUrl } = options;
  return betterAuth({
    ...schemaOptions(options.database),
    appName: 'Duogate',
    baseURL: `${baseUrl}/api/auth`,
    secret: options.secret,
    trustedOrigins: [...originsOf(baseUrl)],
    emailAndPassword: {
      enabled: true,
      // A new user signs in by the same route as all others.
      autoSignIn: false,
      minPasswordLength: LEAST_PASSWORD,
      maxPasswordLength: LONGEST_PASSWORD,
      password: { hash: hashOnce, verify: ({ hash, password }) => verifyPassword(hash, password) },
      ...mailedPasswords(options.mail),
    },
    emailVerification: mailedConfirmations(options.mail),
    user: {
      ...schemaOptions(options.database).user,
      deleteUser: { enabled: true, beforeDelete: (user) => removeUser(options.database, user.id) },
    },
    plugins: plugins(baseUrl),
    databaseHooks: {
      session: { create: { before: assertEnabled, after: noteSignIn } },
      user: {
        create: { before: async (user) => ({ data: { ...user, ...newAccountFields(options) } }) },
      },
    },
    advanced: {
      cookiePrefix: 'duogate',
      useSecureCookies: baseUrl.startsWith('https:'),
      disableCSRFCheck: false,
      disableOriginCheck: false,
    },
    // The gateway's own limits count by account, too, and are shared by all instances.
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    // By default, better-auth writes to the console.
    onAPIError: { throw: true },
    logger: { disabled: true },
  });
}

const RESET_LIFE_S = 3_600;
/** Validity of a confirmation link, in seconds. */
export const CONFIRMATION_LIFE_S = 86_400;

/** Options for confirming addresses and resetting passwords by mail. */
function mailedPasswords(mail: AccountMail | undefined) {
  return {
    requireEmailVerification: mail !== undefined,
    resetPasswordTokenExpiresIn: RESET_LIFE_S,
    revokeSessionsOnPasswordReset: true,
    ...(mail && {
      sendResetPassword: async ({ user, token }: Mailed) => mail.passwordReset(user, token),
      onExistingUserSignUp: async ({ user }: Pick<Mailed, 'user'>) => mail.alreadySignedUp(user),
    }),
  };
}

function mailedConfirmations(mail: AccountMail | undefined) {
  return {
    expiresIn: CONFIRMATION_LIFE_S,
    // A message at sign-in would reveal that the address is not confirmed.
    sendOnSignIn: false,
    ...(mail && {
      async sendVerificationEmail({ user, token }: Mailed) {
        if (!user.emailVerified) mail.confirmation(user, token);
      },
    }),
  };
}

interface Mailed {
  readonly user: { readonly email: string; readonly emailVerified: boolean };
  readonly token: string;
}

/** Creates missing tables and columns. Instances that start at the same time do so one after the other. */
export async function migrateAccounts(database: AccountsDatabase): Promise<void> {
  await database.exclusively(createTables);
}

type Preparation = Pick<AccountsOptions, 'database' | 'secret' | 'log'>;

/**
 * Also creates the key that signs tokens, so that all instances share one. Throws Conflict, and changes
 * nothing, if the database was created with another secret.
 */
export async function prepareAccounts({ database, ...options }: Preparation): Promise<void> {
  await database.exclusively(async (migrated) => {
    await createTables(migrated);
    const accounts = createAccounts({ ...options, database: migrated, baseUrl: 'http://localhost' });
    const { adapter } = await accounts.$context;
    const isRight = await hasSecret(adapter, options.secret);
    if (isRight === false) throw wrongSecret();
    await accounts.api.getJwks();
    if (isRight) return;
    if (!(await canSign(accounts))) throw wrongSecret();
    await storeSecretCheck(adapter, options.secret);
  });
}

/** Whether the signing keys can be decrypted with this secret. */
async function canSign({ api }: Accounts): Promise<boolean> {
  try {
    await api.signJWT({ body: { payload: {} } });
    return true;
  } catch {
    return false;
  }
}

/** Models whose rows only the previous secret decrypts. */
const SEALED = ['jwks', 'upstreamText', 'upstreamKey'] as const;

/**
 * Makes the database accept another secret, and removes the rows that only the previous one decrypts. Returns
 * their number, or undefined if the database has this secret already.
 */
export async function replaceSecret({ database, ...options }: Preparation): Promise<number | undefined> {
  return database.exclusively(async (migrated) => {
    const accounts = createAccounts({ ...options, database: migrated, baseUrl: 'http://localhost' });
    const { adapter } = await accounts.$context;
    if ((await hasSecret(adapter, options.secret)) === true) return undefined;
    let number = 0;
    for (const model of SEALED) number += await adapter.deleteMany({ model, where: [] });
    await accounts.api.getJwks();
    await storeSecretCheck(adapter, options.secret);
    return number;
  });
}

async function createTables(database: AccountsDatabase): Promise<void> {
  const { runMigrations } = await getMigrations({
    ...schemaOptions(database),
    plugins: plugins('http://localhost'),
    logger: { disabled: true },
  });
  await runMigrations();
  await createRateLimitTable(database);
  await createIndexes(database);
}

/** Rejects disabled users with the same error as a wrong password. */
async function assertEnabled({ userId }: { userId: string }, context: HookContext): Promise<void> {
  const user = await context?.context.internalAdapter.findUserById(userId);
  if (user === undefined || user === null || ('disabled' in user && user.disabled === true)) {
    throw APIError.from('UNAUTHORIZED', {
      code: 'INVALID_EMAIL_OR_PASSWORD',
      message: 'Invalid email or password',
    });
  }
}

async function noteSignIn({ userId }: { userId: string }, context: HookContext): Promise<void> {
  await context?.context.internalAdapter.updateUser(userId, { lastSignInAt: new Date() });
}

/** better-auth would also remove the last administrator. */
async function removeUser(database: AccountsDatabase, id: string): Promise<void> {
  try {
    await createUsers(database).remove(id);
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'Conflict') throw error;
    throw APIError.from('CONFLICT', { code: error.code, message: error.message });
  }
}

type HookContext = GenericEndpointContext | null;

/** The options that determine the tables. */
function schemaOptions({ kind, tables }: AccountsDatabase) {
  return {
    // Without transactions, a process that is killed midway could leave a user without a password.
    database: { db: tables, type: kind, transaction: true },
    user: {
      additionalFields: {
        roles: { type: 'string[]', input: false, required: true, defaultValue: () => [...SIGN_UP_ROLES] },
        disabled: { type: 'boolean', input: false, required: true, defaultValue: false, returned: false },
        /** True until an administrator approves the account; it is disabled until then. */
        waiting: { type: 'boolean', input: false, required: false, returned: false },
        /** The issuer that determines the roles; null if administrators do. */
        rolesFrom: { type: 'string', input: false, required: false, returned: false },
        lastSignInAt: { type: 'date', input: false, required: false, returned: false },
      },
    },
  } as const satisfies BetterAuthOptions;
}

function plugins(baseUrl: string) {
  return [
    bearer(),
    jwt({
      disableSettingJwtHeader: true,
      jwks: { keyPairConfig: { alg: 'EdDSA', crv: 'Ed25519' } },
      jwt: {
        issuer: baseUrl,
        audience: baseUrl,
        expirationTime: TOKEN_LIFE,
        definePayload: ({ user }) => ({ name: user.name, roles: user['roles'] }),
      },
    }),
    issuerSessions,
    { id: 'api-keys', schema: apiKeySchema },
    { id: 'audit', schema: auditSchema },
    { id: 'secret-check', schema: secretCheckSchema },
    { id: 'invitations', schema: invitationSchema },
    { id: 'upstream-credentials', schema: upstreamCredentialSchema },
  ];
}

/**
 * The users who may create an account: everyone; invited users; everyone, with an administrator's approval unless
 * invited; no one.
 */
export type SignUp = 'open' | 'invite' | 'approve' | 'off';

/**
 * Returns the invitation for the address, which some modes do not require. Throws Forbidden if the address
 * may not sign up with this invitation.
 */
export async function requireSignUp(
  signUp: SignUp,
  invitations: Pick<Invitations, 'find'>,
  { email, invitation }: { readonly email: string; readonly invitation: unknown },
): Promise<Invitation | undefined> {
  if (signUp === 'off') {
    throw new GatewayError('Forbidden', 'Sign-up is closed here: ask an administrator for an account.');
  }
  const found = typeof invitation === 'string' ? await invitations.find(invitation, email) : undefined;
  if (found !== undefined || signUp !== 'invite') return found;
  const message = 'Signing up needs a valid invitation for this address: ask an administrator.';
  throw new GatewayError('Forbidden', message, { target: 'invitation' });
}

const chosen = new AsyncLocalStorage<readonly string[]>();

/** Creates accounts with roles that an administrator chose; they need no approval. */
export function withChosenRoles<Result>(
  roles: readonly string[],
  work: () => Promise<Result>,
): Promise<Result> {
  return chosen.run(roles, work);
}

/**
 * The fields of a new account that differ from the defaults. An invitation that was mailed also proves the
 * address.
 */
function newAccountFields({
  signUp,
  mail,
}: {
  readonly signUp?: SignUp | undefined;
  readonly mail?: object | undefined;
}): Readonly<Record<string, unknown>> {
  const roles = chosen.getStore();
  if (roles !== undefined) return { roles: [...roles], ...(mail && { emailVerified: true }) };
  return signUp === 'approve' ? { disabled: true, waiting: true } : {};
}

/** An account that an administrator or operator creates. */
export interface NewUser {
  readonly name: string;
  readonly email: string;
  readonly password: string;
  readonly roles: readonly string[];
}

/** Manages passwords of other users. Throws BadRequest for an invalid password. */
export interface UserPasswords {
  /** Creates an account; throws Conflict if the address has one. */
  addUser(user: NewUser): Promise<void>;
  /** Sets the password and ends all sessions of the account. */
  setPassword(user: Pick<ListedUser, 'id'>, password: string): Promise<void>;
}

export function createUserPasswords(accounts: Accounts, users: Pick<Users, 'has'>): UserPasswords {
  return {
    async addUser({ name, email, password, roles }) {
      checkPassword(password);
      await assertNew(users, email);
      const { internalAdapter, password: passwords } = await accounts.$context;
      const hash = await passwords.hash(password);
      const fields = { name, email: email.toLowerCase(), emailVerified: true };
      await orUnavailable(() =>
        withChosenRoles(roles, () =>
          internalAdapter.createOAuthUser(fields, passwordAccount(fields.email, hash)),
        ),
      );
    },
    async setPassword({ id }, password) {
      checkPassword(password);
      const { adapter, internalAdapter, password: passwords } = await accounts.$context;
      const hash = await passwords.hash(password);
      await orUnavailable(async () => {
        const known = await internalAdapter.findAccounts(id);
        if (known.some(({ providerId }) => providerId === PASSWORD_WAY))
          await internalAdapter.updatePassword(id, hash);
        else await internalAdapter.linkAccount(passwordAccount(id, hash));
        await internalAdapter.deleteUserSessions(id);
        // Otherwise links mailed earlier could still set another password.
        await adapter.deleteMany({ model: 'verification', where: [{ field: 'value', value: id }] });
      });
    },
  };
}

/** The row in which better-auth stores the password of an account. */
function passwordAccount(userId: string, hash: string) {
  return { userId, accountId: userId, providerId: PASSWORD_WAY, password: hash };
}

/** Throws BadRequest if the password is too short or too long. */
export function checkPassword({ length }: string): void {
  if (length >= LEAST_PASSWORD && length <= LONGEST_PASSWORD) return;
  const expected = `${LEAST_PASSWORD} to ${LONGEST_PASSWORD} characters`;
  throw new GatewayError('BadRequest', `The password must have ${expected}, but has ${length}.`);
}

/**
 * Lets the gateway start a session for a user whom an issuer has signed in. The endpoint cannot be called
 * over HTTP.
 */
const issuerSessions = {
  id: 'issuer-sessions' as const,
  endpoints: {
    startIssuerSession: createAuthEndpoint.serverOnly(
      { method: 'POST', metadata: { $Infer: { body: {} as { readonly userId: string } } } },
      async (context) => {
        const { internalAdapter } = context.context;
        const user = await internalAdapter.findUserById(context.body.userId);
        const session = user && (await internalAdapter.createSession(user.id));
        if (!session) return context.json({ isStarted: false });
        await setSessionCookie(context, { session, user }, false);
        return context.json({ isStarted: true });
      },
    ),
  },
};
