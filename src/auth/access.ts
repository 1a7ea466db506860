import { setTimeout as delay } from 'node:timers/promises';
import type { JSONWebKeySet } from 'jose';
import { sql } from 'kysely';
import type { Audit } from '../contract/audit.ts';
import type { CredentialVault } from '../contract/credential-vault.ts';
import type { GatewayRequest, GatewayResponse } from '../contract/exchange.ts';
import type { Log } from '../contract/log.ts';
import type { Permissions } from '../contract/permissions.ts';
import {
  type Accounts,
  createAccounts,
  createUserPasswords,
  prepareAccounts,
  requireSignUp,
  type SignUp,
} from './accounts/accounts.ts';
import { createAccountsListener, MOUNTED_AT } from './accounts/accounts-listener.ts';
import { type AuditTrail, createAuditTrail } from './audit/audit-trail.ts';
import {
  type AccountsDatabase,
  type AccountsPlace,
  awaitDatabase,
  openAccountsDatabase,
  PROJECT_LOCK,
  unopenedDatabase,
} from './database/accounts-database.ts';
import { type AccountsStore, createAccountsStore, type User } from './database/accounts-store.ts';
import { startPruner } from './database/pruner.ts';
import { createTextSeal } from './database/sealed-text.ts';
import { createAuditHandler } from './handlers/audit-handler.ts';
import { createKeysHandler, createUpstreamKeysHandler } from './handlers/keys-handler.ts';
import { createInvitationsHandler, createUsersHandler } from './handlers/users-handler.ts';
import { createInvitations, type Invitation } from './invitations/invitations.ts';
import { createIssuerAccounts } from './issuers/issuer-accounts.ts';
import { createBegunCookies, createIssuersListener, redirectUriOf } from './issuers/issuers-listener.ts';
import { signInIssuer } from './issuers/sign-in-issuers.ts';
import { type ApiKeys, createApiKeys, createKeyUses, type KeyUses } from './keys/api-keys.ts';
import { createUpstreamCredentials, type UpstreamCredentials } from './keys/upstream-credentials.ts';
import { type AccountMail, createAccountMail } from './mail/account-mail.ts';
import type { MailAccount, Mailer } from './mail/mailer.ts';
import { type Authenticator, createAuthenticator } from './providers/authenticator.ts';
import { type OidcIssuer, oidcIssuer } from './providers/oidc-issuer.ts';
import { createKeySet, createTokenVerifier, type TokenIssuer } from './providers/token-verifier.ts';
import { createRecoveryHandler } from './recovery/recovery-handler.ts';
import { originsOf } from './requests/account-requests.ts';
import { type AddressOf, clientAddressOf } from './requests/client-address.ts';
import { createRateLimits } from './requests/rate-limits.ts';
import { createUsers } from './users/users.ts';

export interface AccessOptions {
  readonly place: AccountsPlace;
  /** Time to wait for a database that cannot be reached. */
  readonly waitMs: number;
  readonly secret: string;
  readonly signUp: SignUp;
  /** Whether users can sign in with passwords, in addition to issuers. */
  readonly passwords: boolean;
  /** The server that mail is sent through; undefined if the gateway sends no mail. */
  readonly mail?: MailAccount | undefined;
  /** OpenID Connect issuers whose tokens are accepted and through which users sign in. */
  readonly issuers: readonly OidcIssuer[];
  readonly trustedProxies: readonly string[];
  readonly log: Log;
  /** Days for which audit events are kept. */
  readonly auditDays: number;
}

/** The data of the project that the accounts need; the values may change while the gateway runs. */
export interface ServedProject {
  /** The APIs that users store their own keys for. */
  readonly keyedApis: () => readonly string[];
  readonly permissions: () => Permissions;
  /** The roles that some permission is granted to. */
  readonly roles: () => readonly string[];
}

/** Accounts whose database is open. */
export interface OpenAccess {
  /** The store of credentials for upstream APIs. */
  readonly vault: CredentialVault;
  readonly audit: Audit;
  /**
   * The e-mail address of an account, disabled ones included; returns the id itself if there is no such
   * account.
   */
  emailOf(id: string): Promise<string>;
  /** Whether the database answers now. A slow answer counts as none. */
  isReachable(): Promise<boolean>;
  /** Runs the work while no other process on this database changes the project. */
  exclusively<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Serves the accounts at a public URL, to the users of a project. */
  serveAt(baseUrl: string, served: ServedProject): Promise<Access>;
  close(): Promise<void>;
}

/** The handlers of `/api/auth`, and the principals of requests. */
export interface Access {
  readonly authenticate: Authenticator['authenticate'];
  readonly accounts: ReturnType<typeof createAccountsListener>;
  readonly audit: (request: GatewayRequest) => Promise<GatewayResponse>;
  readonly keys: (request: GatewayRequest) => Promise<GatewayResponse>;
  readonly issuers: ReturnType<typeof createIssuersListener>;
  /** Undefined if the gateway sends no mail. */
  readonly recovery: ((request: GatewayRequest) => Promise<GatewayResponse>) | undefined;
  readonly users: (request: GatewayRequest) => Promise<GatewayResponse>;
  readonly invitations: (request: GatewayRequest) => Promise<GatewayResponse>;
  readonly upstreamKeys: (request: GatewayRequest) => Promise<GatewayResponse>;
}

/** Opens the database, and creates the tables that it lacks. */
export async function openAccess(options: AccessOptions): Promise<OpenAccess> {
  const database = await awaitDatabase(() => openPrepared(options), options).catch((error: unknown) => {
    throw unopenedDatabase(options.place, error);
  });
  // The tables do not depend on the public URL, so any URL will do here.
  const store = createAccountsStore(
    createAccounts({ ...options, mail: undefined, database, baseUrl: 'http://localhost' }),
  );
  const keyUses = createKeyUses(store);
  const upstreams = createUpstreamCredentials({
    database,
    store,
    seal: createTextSeal(options.secret, 'duogate upstream credentials 1'),
    log: options.log,
  });
  const trail = createAuditTrail({ database, store, log: options.log });
  const pruner = startPruner(database, options.auditDays, options.log);
  const addressOf = clientAddressOf(options.trustedProxies);
  const mailer = options.mail && (await openMailer(options.mail, options.log));
  const audit = auditOf(trail, addressOf);
  return {
    vault: upstreams,
    audit,
    async emailOf(id) {
      return (await store.findOne<User>('user', { id }))?.email ?? id;
    },
    isReachable: reachability(database),
    exclusively: (work) => database.inTurn(PROJECT_LOCK, work),
    serveAt: (baseUrl, served) =>
      createAccess({
        ...options,
        ...served,
        database,
        baseUrl,
        store,
        upstreams,
        keyUses,
        trail,
        addressOf,
        audit,
        mail: mailer && createAccountMail(mailer, baseUrl),
      }),
    async close() {
      await mailer?.close();
      await pruner.close();
      await keyUses.close();
      await trail.close();
      await database.close();
    },
  };
}

/** Longest wait for an answer of the database. */
const PROBE_MS = 500;

/** Concurrent calls share one probe. */
function reachability({ tables }: AccountsDatabase): () => Promise<boolean> {
  let probing: Promise<boolean> | undefined;
  return () => {
    probing ??= sql`SELECT 1`
      .execute(tables)
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        probing = undefined;
      });
    return Promise.race([probing, delay(PROBE_MS, false, { ref: false })]);
  };
}

/** Loads the mail library only if the gateway sends mail. */
async function openMailer(account: MailAccount, log: Log): Promise<Mailer> {
  const { createMailer } = await import('./mail/mailer.ts');
  return createMailer(account, log);
}

async function openPrepared(options: AccessOptions): Promise<AccountsDatabase> {
  const database = await openAccountsDatabase(options.place, options.log);
  try {
    await prepareAccounts({ secret: options.secret, log: options.log, database });
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

interface ServedAccess extends Omit<AccessOptions, 'mail'>, ServedProject {
  readonly mail: AccountMail | undefined;
  readonly database: AccountsDatabase;
  readonly baseUrl: string;
  readonly store: AccountsStore;
  readonly upstreams: UpstreamCredentials;
  readonly keyUses: KeyUses;
  readonly trail: AuditTrail;
  readonly addressOf: AddressOf;
  readonly audit: Audit;
}

async function createAccess(options: ServedAccess): Promise<Access> {
  const { database, baseUrl, store } = options;
  const accounts = createAccounts(options);
  const keys = createApiKeys({ database, store, uses: options.keyUses });
  const origins = originsOf(baseUrl);
  const issuers = options.issuers.map((issuer) => ({ issuer, tokens: oidcIssuer(issuer) }));
  const authenticator = await authenticatorOf(options, { accounts, keys, origins, issuers });
  const parts: AccessParts = {
    accounts,
    keys,
    origins,
    issuers,
    authenticator,
    limits: createRateLimits(database),
    users: createUsers(database),
    invitations: createInvitations(database),
  };
  return {
    authenticate: authenticator.authenticate,
    ...waysIn(options, parts),
    ...handlersOf(options, parts),
  };
}

interface KnownIssuer {
  readonly issuer: OidcIssuer;
  readonly tokens: ReturnType<typeof oidcIssuer>;
}

/** Dependencies that the handlers of the accounts share. */
interface AccessParts {
  readonly accounts: Accounts;
  readonly keys: ApiKeys;
  readonly origins: ReturnType<typeof originsOf>;
  readonly issuers: readonly KnownIssuer[];
  readonly authenticator: Authenticator;
  readonly limits: ReturnType<typeof createRateLimits>;
  readonly users: ReturnType<typeof createUsers>;
  readonly invitations: ReturnType<typeof createInvitations>;
}

async function authenticatorOf(
  { baseUrl, store, log }: ServedAccess,
  { accounts, keys, origins, issuers }: Pick<AccessParts, 'accounts' | 'keys' | 'origins' | 'issuers'>,
): Promise<Authenticator> {
  const { authCookies } = await accounts.$context;
  const ours = ownIssuer(baseUrl, () => accounts.api.getJwks());
  await ours.keys.load();
  // An issuer without an audience is for signing in only; its tokens are not accepted.
  const theirs = issuers.map(({ tokens }) => tokens).filter(({ audience }) => audience.length > 0);
  return createAuthenticator({
    store,
    keys,
    tokens: createTokenVerifier([ours, ...theirs], log),
    cookieName: authCookies.sessionToken.name,
    origins,
  });
}

/** The listeners for signing in: by password, by issuer, and by a mailed link. */
function waysIn(
  options: ServedAccess,
  { invitations, users, issuers, ...parts }: AccessParts,
): Pick<Access, 'accounts' | 'issuers' | 'recovery'> {
  const { baseUrl, database, store, mail, log, addressOf, trail, passwords } = options;
  const { accounts, origins, authenticator, limits } = parts;
  const shared = { authenticator, limits, addressOf, trail, accounts, log };
  const signIn = issuers.flatMap(({ issuer, tokens }) => signInIssuer(issuer, tokens.keys, baseUrl) ?? []);
  for (const { issuer, path } of signIn)
    log.info({ issuer, redirectUri: redirectUriOf(baseUrl, path) }, 'people sign in by an issuer');
  const signingUp = {
    requireSignUp: (by: { readonly email: string; readonly invitation: unknown }) =>
      requireSignUp(options.signUp, invitations, by),
    spend: async ({ id }: Invitation) => void (await invitations.withdraw(id)),
  };
  const seal = createTextSeal(options.secret, 'duogate sign-in 1');
  return {
    accounts: createAccountsListener({
      ...shared,
      ...signingUp,
      url: `${baseUrl}${MOUNTED_AT}`,
      origins,
      passwords,
      mail,
      dropLinks: async (userId) => void (await store.remove('verification', { value: userId })),
      users,
    }),
    issuers: createIssuersListener({
      ...shared,
      baseUrl,
      origins,
      issuers: signIn,
      people: createIssuerAccounts({ accounts, database, store, users, ...signingUp }),
      cookies: createBegunCookies(seal, baseUrl.startsWith('https:')),
    }),
    recovery: mail && passwords ? createRecoveryHandler({ ...shared, store, mail }) : undefined,
  };
}

/** The handlers for signed-in users and administrators. */
function handlersOf(
  { mail, addressOf, trail, permissions, audit, roles, baseUrl, signUp, upstreams, keyedApis }: ServedAccess,
  { authenticator, limits, accounts, keys, users, invitations }: AccessParts,
): Pick<Access, 'audit' | 'keys' | 'users' | 'invitations' | 'upstreamKeys'> {
  const shared = { authenticator, limits, addressOf, trail, mail };
  const passwords = createUserPasswords(accounts, users);
  return {
    audit: createAuditHandler({ trail, authenticator }),
    keys: createKeysHandler({ keys, authenticator, permissions, audit }),
    users: createUsersHandler({ ...shared, users, passwords, keys, roles }),
    invitations: createInvitationsHandler({ ...shared, invitations, baseUrl, signUp, users }),
    upstreamKeys: createUpstreamKeysHandler({ keys: upstreams, authenticator, apis: keyedApis }),
  };
}

function auditOf(trail: AuditTrail, addressOf: AddressOf): Audit {
  return (act, { id, principal, remote, headers }) =>
    trail.note({
      ...act,
      userId: principal.kind === 'user' ? principal.id : undefined,
      address: addressOf({ socket: { remoteAddress: remote }, headers }),
      request: id,
    });
}

/**
 * Short, because instances with a shared database share the keys: looking up another instance's key is cheap.
 */
const OWN_COOLDOWN_MS = 1_000;

function ownIssuer(baseUrl: string, load: () => Promise<JSONWebKeySet>): TokenIssuer {
  return {
    issuer: baseUrl,
    audience: baseUrl,
    algorithms: ['EdDSA'],
    keys: createKeySet({ load, cooldownMs: OWN_COOLDOWN_MS }),
    principalOf: (id, { roles }) => ({
      kind: 'user',
      id,
      roles: Array.isArray(roles) ? roles.filter((role) => typeof role === 'string') : [],
    }),
  };
}
