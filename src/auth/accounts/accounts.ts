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
  /** The public URL: the issuer and the audience of tokens, and the origin of the screens. */
  readonly baseUrl: string;
  readonly log: Log;
  /** What people are written about their accounts; without it, nobody is written to. */
  readonly mail?: AccountMail | undefined;
  /** Where accounts that users make are disabled until an administrator has looked at them. */
  readonly signUp?: SignUp;
}

/** What everybody who signs up may call himself. */
const SIGN_UP_ROLES: readonly string[] = [USER];
const TOKEN_LIFE = '5m';

/** The accounts as better-auth keeps them. */
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
      // Who has signed up signs in like everybody else.
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
    // Ours count by account, too, and are the same for all instances.
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    // Its own way is to write to the console.
    onAPIError: { throw: true },
    logger: { disabled: true },
  });
}

const RESET_LIFE_S = 3_600;
/** How long a confirmation is valid, in seconds. */
export const CONFIRMATION_LIFE_S = 86_400;

/** Addresses are confirmed, and forgotten passwords are chosen anew. */
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
    // It would tell, by its answer, that the address is not confirmed.
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

/** Creates the tables, or what they lack. Instances that start at once wait for one another. */
export async function migrateAccounts(database: AccountsDatabase): Promise<void> {
  await database.exclusively(createTables);
}

type Preparation = Pick<AccountsOptions, 'database' | 'secret' | 'log'>;

/**
 * Creates also the key that tokens are signed with, so that all instances have the same. Throws Conflict if the database
 * was made with another secret; nothing of it is changed then.
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

/** Whether tokens can be signed: not if the keys are encrypted with another secret. */
async function canSign({ api }: Accounts): Promise<boolean> {
  try {
    await api.signJWT({ body: { payload: {} } });
    return true;
  } catch {
    return false;
  }
}

/** Models of rows that only the earlier secret decrypts. */
const SEALED = ['jwks', 'upstreamText', 'upstreamKey'] as const;

/**
 * Has the database accept another secret, and removes what only the earlier one decrypts. Returns how many rows that
 * were; undefined if it is the secret of the database already.
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

/** Whoever is disabled is told what is told of a wrong password. */
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

/** The library removes accounts without a look at who is left. */
async function removeUser(database: AccountsDatabase, id: string): Promise<void> {
  try {
    await createUsers(database).remove(id);
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'Conflict') throw error;
    throw APIError.from('CONFLICT', { code: error.code, message: error.message });
  }
}

type HookContext = GenericEndpointContext | null;

/** What decides about tables. */
function schemaOptions({ kind, tables }: AccountsDatabase) {
  return {
    // Without transactions, a process that ends in between would leave users without a password.
    database: { db: tables, type: kind, transaction: true },
    user: {
      additionalFields: {
        roles: { type: 'string[]', input: false, required: true, defaultValue: () => [...SIGN_UP_ROLES] },
        disabled: { type: 'boolean', input: false, required: true, defaultValue: false, returned: false },
        /** Nobody has looked at the account yet, which is disabled for that long. */
        waiting: { type: 'boolean', input: false, required: false, returned: false },
        /** The issuer that says what the roles are; null where that is said here. */
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
 * Who may make an account for himself: everybody; whoever is invited; everybody, but an administrator has to enable the
 * account unless he has invited its user; or nobody.
 */
export type SignUp = 'open' | 'invite' | 'approve' | 'off';

/**
 * The invitation that somebody has for his address, which in some modes need not be there. Throws Forbidden where nobody
 * may sign up with that address and that invitation.
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

/** Makes accounts with roles that an administrator has chosen, who need not look at them again. */
export function withChosenRoles<Result>(
  roles: readonly string[],
  work: () => Promise<Result>,
): Promise<Result> {
  return chosen.run(roles, work);
}

/**
 * What is said of each account that is made; nothing where it is as it is for everybody. Whoever was invited by mail
 * has shown that the address is his.
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

/** An account as somebody else than its user makes it. */
export interface NewUser {
  readonly name: string;
  readonly email: string;
  readonly password: string;
  readonly roles: readonly string[];
}

/** What is done with the passwords of others. A password that is none is a BadRequest. */
export interface UserPasswords {
  /** Makes an account; a Conflict where the address has one. */
  addUser(user: NewUser): Promise<void>;
  /** Ends all sessions of the account. */
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
        // Mailed links would choose yet another password.
        await adapter.deleteMany({ model: 'verification', where: [{ field: 'value', value: id }] });
      });
    },
  };
}

/** How better-auth keeps the password of an account. */
function passwordAccount(userId: string, hash: string) {
  return { userId, accountId: userId, providerId: PASSWORD_WAY, password: hash };
}

/** Throws BadRequest where it is too short or too long. */
export function checkPassword({ length }: string): void {
  if (length >= LEAST_PASSWORD && length <= LONGEST_PASSWORD) return;
  const expected = `${LEAST_PASSWORD} to ${LONGEST_PASSWORD} characters`;
  throw new GatewayError('BadRequest', `The password must have ${expected}, but has ${length}.`);
}

/** Has the library start a session of whoever an issuer has signed in; no request from outside leads here. */
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
