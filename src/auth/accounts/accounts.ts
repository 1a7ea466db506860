import { type BetterAuthOptions, betterAuth, type GenericEndpointContext } from 'better-auth';
import { APIError } from 'better-auth/api';
import { getMigrations } from 'better-auth/db/migration';
import { bearer, jwt } from 'better-auth/plugins';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { Log } from '../../contract/log.ts';
import { USER } from '../../contract/roles.ts';
import { auditSchema } from '../audit/audit-table.ts';
import type { AccountsDatabase } from '../database/accounts-database.ts';
import { invitationSchema } from '../invitations/invitation-table.ts';
import { apiKeySchema } from '../keys/api-key-table.ts';
import { upstreamCredentialSchema } from '../keys/upstream-credentials.ts';
import type { AccountMail } from '../mail/account-mail.ts';
import { hashOnce, LEAST_PASSWORD, LONGEST_PASSWORD, verifyPassword } from '../passwords/password-hash.ts';
import { originsOf } from '../requests/origin-check.ts';
import { createRateLimitTable } from '../requests/rate-limits.ts';
import { createUsers } from '../users/users.ts';
import { issuerSessions } from './issuer-sessions.ts';
import { newAccountFields, type SignUp } from './sign-up.ts';

export interface AccountsOptions {
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
      session: { create: { before: refuseDisabled, after: noteSignIn } },
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
/** In seconds. */
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
  await database.exclusively(() => createTables(database));
}

/** Creates also the key that tokens are signed with, so that all instances have the same. */
export async function prepareAccounts(
  options: Pick<AccountsOptions, 'database' | 'secret' | 'log'>,
): Promise<void> {
  await options.database.exclusively(async () => {
    await createTables(options.database);
    const accounts = createAccounts({ ...options, baseUrl: 'http://localhost' });
    await accounts.api.getJwks();
    if (!(await canSign(accounts))) await replaceKeys(accounts, options.log);
  });
}

/** Not after the secret has changed, which the keys are encrypted with. */
async function canSign({ api }: Accounts): Promise<boolean> {
  try {
    await api.signJWT({ body: { payload: {} } });
    return true;
  } catch {
    return false;
  }
}

async function replaceKeys({ api, $context }: Accounts, log: Log): Promise<void> {
  const { adapter } = await $context;
  const number = await adapter.deleteMany({ model: 'jwks', where: [] });
  await api.getJwks();
  log.warn({ number }, 'AUTH_SECRET has changed: tokens that were signed before are good no longer');
}

async function createTables(database: AccountsDatabase): Promise<void> {
  const { runMigrations } = await getMigrations({
    ...schemaOptions(database),
    plugins: plugins('http://localhost'),
    logger: { disabled: true },
  });
  await runMigrations();
  await createRateLimitTable(database);
}

/** Whoever is disabled is told what is told of a wrong password. */
async function refuseDisabled({ userId }: { userId: string }, context: HookContext): Promise<void> {
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
    { id: 'invitations', schema: invitationSchema },
    { id: 'upstream-credentials', schema: upstreamCredentialSchema },
  ];
}
