import { randomBytes } from 'node:crypto';
import type { GatewayResponse } from '../../contract/exchange.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import { USER } from '../../contract/roles.ts';
import type { UserPasswords } from '../accounts/user-passwords.ts';
import type { ApiKeys } from '../keys/api-keys.ts';
import type { AccountMail } from '../mail/account-mail.ts';
import type { PasswordJudge } from '../passwords/password-judge.ts';
import { json, NO_CONTENT, notAllowed, nothingHere, readFields } from '../requests/account-answers.ts';
import { EMAIL, NAME, PASSWORD, ROLES } from '../requests/account-requests.ts';
import { actsOf } from '../users/user-acts.ts';
import { readUserQuery } from '../users/user-query.ts';
import type { ListedUser, UserChange, Users } from '../users/users.ts';
import {
  type AdministratorsDependencies,
  type AdministratorsRequest,
  forAdministrators,
} from './for-administrators.ts';

export interface UsersHandlerOptions extends AdministratorsDependencies {
  readonly users: Users;
  readonly passwords: UserPasswords;
  readonly judge: PasswordJudge;
  readonly keys: Pick<ApiKeys, 'list'>;
  readonly mail: AccountMail | undefined;
  /** The roles that there is something for at present. */
  readonly roles: () => readonly string[];
}

/**
 * Lets administrators see to accounts: `GET` and `POST` at the path itself; `GET`, `PATCH` and `DELETE` at an account's
 * id below it; `DELETE` at its `sessions`, `POST` at its `password`.
 */
export function createUsersHandler(options: UsersHandlerOptions) {
  return forAdministrators(options, async (request) => {
    if (request.path === '' || request.path === '/') return serveAll(options, request);
    const [, id = '', part] = /^\/([\w-]{1,64})(?:\/(sessions|password))?$/.exec(request.path) ?? [];
    if (id === '') throw nothingHere();
    if (part === 'sessions') return endSessions(options, request, id);
    if (part === 'password') return setPassword(options, request, id);
    return serveOne(options, request, id);
  });
}

async function serveAll(
  { users, roles, passwords, judge }: UsersHandlerOptions,
  request: AdministratorsRequest,
): Promise<GatewayResponse> {
  if (request.method === 'GET') {
    const [page, waiting] = [await users.page(readUserQuery(request.target)), await users.count('waiting')];
    return json(200, { ...page, waiting, roles: roles() });
  }
  if (request.method !== 'POST') throw notAllowed('GET, HEAD, POST');
  const { name, email, password, roles: given } = readFields(NEW_USER, request);
  const made = password === undefined ? newPassword() : undefined;
  const user = { name: String(name), email: String(email), roles: given as readonly string[] };
  await request.noting(
    () => [{ action: 'made an account', subject: user.email }],
    async () => {
      if (made === undefined) await judge.demandHardToGuess(String(password), user);
      await passwords.addUser({ ...user, password: made ?? String(password) });
    },
  );
  return json(201, { user: await users.findByEmail(user.email), password: made ?? null });
}

async function serveOne(
  { users, keys, mail, authenticator }: UsersHandlerOptions,
  request: AdministratorsRequest,
  id: string,
): Promise<GatewayResponse> {
  switch (request.method) {
    case 'GET': {
      const [user, sessions] = [await users.find(id), await users.countSessions(id)];
      return json(200, { ...user, sessions, keys: (await keys.list(id)).map(({ name }) => name) });
    }
    case 'PATCH': {
      const change = readChange(request);
      const user = await users.find(id);
      await request.noting(
        (before = user) => actsOf(before, change),
        () => users.change(id, change),
      );
      authenticator.forget();
      if (user.state === 'waiting' && change.isEnabled === true) mail?.approval(user);
      return json(200, await users.find(id));
    }
    case 'DELETE': {
      const user = await users.find(id);
      await request.noting(
        () => [{ action: 'removed an account', subject: user.email }],
        () => users.remove(id),
      );
      authenticator.forget();
      return NO_CONTENT;
    }
    default:
      throw notAllowed('GET, HEAD, PATCH, DELETE');
  }
}

async function endSessions(
  { users, authenticator }: UsersHandlerOptions,
  request: AdministratorsRequest,
  id: string,
): Promise<GatewayResponse> {
  if (request.method !== 'DELETE') throw notAllowed('DELETE');
  const { email } = await users.find(id);
  await request.noting(
    () => [{ action: 'signed an account out everywhere', subject: email }],
    () => users.endSessions(id),
  );
  authenticator.forget();
  return NO_CONTENT;
}

async function setPassword(
  { users, passwords, judge, authenticator }: UsersHandlerOptions,
  request: AdministratorsRequest,
  id: string,
): Promise<GatewayResponse> {
  if (request.method !== 'POST') throw notAllowed('POST');
  const { password } = readFields({ password: NEW_USER.password }, request);
  const made = password === undefined ? newPassword() : undefined;
  const user = await users.find(id);
  await request.noting(
    () => [{ action: 'set the password of an account', subject: user.email }],
    async () => {
      if (made === undefined) await judge.demandHardToGuess(String(password), user);
      await passwords.setPassword(user, made ?? String(password));
    },
  );
  authenticator.forget();
  return json(200, { password: made ?? null });
}

const NEW_USER = {
  name: NAME,
  email: EMAIL,
  // One is made where it is left out.
  password: { ...PASSWORD, isOptional: true },
  roles: { ...ROLES, isOptional: true, fallback: [USER] },
};

const CHANGE = {
  roles: { ...ROLES, isOptional: true },
  enabled: {
    isOptional: true,
    expected: 'true or false',
    accepts: (value: unknown) => typeof value === 'boolean',
  },
};

function readChange(request: AdministratorsRequest): UserChange {
  const { roles, enabled } = readFields(CHANGE, request);
  if (roles === undefined && enabled === undefined)
    throw new GatewayError('BadRequest', 'The body must have roles, enabled, or both.');
  return {
    roles: roles as ListedUser['roles'] | undefined,
    isEnabled: enabled === undefined ? undefined : enabled === true,
  };
}

const PASSWORD_BYTES = 15;

function newPassword(): string {
  return randomBytes(PASSWORD_BYTES).toString('base64url');
}
