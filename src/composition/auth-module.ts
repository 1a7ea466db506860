import type { Access, OpenAccess, ServedProject } from '../auth/access.ts';
import type { Administration } from '../auth/administration.ts';
import { offeredRoles, permissionsOf } from '../auth/permissions/grants.ts';
import { writeAccountError } from '../auth/requests/account-answers.ts';
import type { Config } from '../config/config.ts';
import type { Log } from '../contract/log.ts';
import { hasUserKeys } from '../contract/source-credential.ts';
import type { Plan, ServedPlan } from '../project/plan/plan.ts';
import { createLogger } from '../server/logger.ts';
import type { Route } from '../server/route.ts';
import type { Authenticate } from '../server/route-dependencies.ts';
import { admitEverybody } from '../server/server.ts';

/** Opens the accounts; undefined without access control. The library is loaded on demand. */
export async function openAccounts(config: Config, log: Log): Promise<OpenAccess | undefined> {
  const { auth, auditDays, database: place, issuers, mail, trustedProxies, limits } = config;
  if (auth.mode === 'off') return undefined;
  const { openAccess } = await import('../auth/access.ts');
  return openAccess({
    place,
    waitMs: limits.databaseWaitMs,
    secret: auth.secret,
    signUp: auth.signUp,
    passwords: auth.passwords,
    auditDays,
    issuers,
    mail,
    trustedProxies,
    log,
  });
}

/** Opens the accounts for operators, independent of a running gateway. */
export async function openAdministration({ database }: Config): Promise<Administration> {
  const { openAdministration: open } = await import('../auth/administration.ts');
  return open(database, createLogger({ level: 'silent' }));
}

/** Like {@link openAdministration}, but waits for a database that is starting. */
export async function awaitAdministration(config: Config): Promise<Administration> {
  const { awaitDatabase } = await import('../auth/database/accounts-database.ts');
  const log = createLogger({ level: config.logLevel });
  return awaitDatabase(() => openAdministration(config), { waitMs: config.limits.databaseWaitMs, log });
}

/**
 * Makes a command's change of the project while no gateway makes one: with PostgreSQL they take a lock of the database,
 * beside the one of the project's folder, which is all that there is with SQLite.
 */
export async function whileProjectLocked<Result>(
  { database }: Config,
  hasAccounts: boolean,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!hasAccounts || database.kind === 'sqlite') return work();
  const { whileProjectLocked: whileLocked } = await import('../auth/database/accounts-database.ts');
  return whileLocked(database.url, work);
}

/** The data of the served project that the accounts need. */
export function servedProject(plan: () => ServedPlan): ServedProject {
  return {
    keyedApis: () => apisWithUserKeys(plan()),
    permissions: () => permissionsOf(plan().model),
    roles: () => offeredRoles(plan().model),
  };
}

/** The APIs that users store their own keys for. */
function apisWithUserKeys({ project }: Pick<Plan, 'project'>): readonly string[] {
  return project.sources.flatMap(({ name, access }) => (hasUserKeys(access?.credential) ? [name] : []));
}

/** The authentication and its routes. */
interface AuthModule {
  readonly authenticate: Authenticate;
  readonly routes: readonly Route[];
}

export const OPEN: AuthModule = { authenticate: admitEverybody, routes: [] };

const ACCOUNT_BODY_BYTES = 64 * 1024;

export function authModuleOf(access: Access): AuthModule {
  const { authenticate, accounts, audit, issuers, keys, recovery, users, invitations, upstreamKeys } = access;
  const part = { open: true, errorResponse: writeAccountError, maxBodyBytes: ACCOUNT_BODY_BYTES };
  return {
    authenticate,
    routes: [
      { ...part, path: '/api/auth', listener: accounts },
      { ...part, path: '/api/auth/audit', handler: audit },
      { ...part, path: '/api/auth/issuers', listener: issuers },
      { ...part, path: '/api/auth/keys', handler: keys },
      ...(recovery === undefined ? [] : [{ ...part, path: '/api/auth/recovery', handler: recovery }]),
      { ...part, path: '/api/auth/users', handler: users },
      { ...part, path: '/api/auth/invitations', handler: invitations },
      { ...part, path: '/api/auth/upstream-keys', handler: upstreamKeys },
    ],
  };
}
