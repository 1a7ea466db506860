import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { UserDetails, UserListing } from '../../contract/accounts.ts';
import { type GatewayResponse, jsonAnswer, NO_CONTENT } from '../../contract/exchange.ts';
import { GatewayError, methodNotAllowed, nothingHere } from '../../contract/gateway-error.ts';
import { USER } from '../../contract/principal.ts';
import type { SignUp, UserPasswords } from '../accounts/accounts.ts';
import { type Invitations, invitationUrl } from '../invitations/invitations.ts';
import type { ApiKeys } from '../keys/api-keys.ts';
import type { AccountMail } from '../mail/account-mail.ts';
import { assertHardToGuess } from '../passwords/password-judge.ts';
import { queryOf, readFields } from '../requests/account-answers.ts';
import { EMAIL, FLAG, NAME, PASSWORD, ROLES, wholeNumber } from '../requests/account-requests.ts';
import { actsOf, assertNew, readUserQuery, type Users } from '../users/users.ts';
import {
  type AdministratorsDependencies,
  type AdministratorsRequest,
  forAdministrators,
} from './for-administrators.ts';

interface UsersHandlerOptions extends AdministratorsDependencies {
  readonly users: Users;
  readonly passwords: UserPasswords;
  readonly keys: Pick<ApiKeys, 'list'>;
  readonly mail: AccountMail | undefined;
  /** The roles that some permission is currently granted to. */
  readonly roles: () => readonly string[];
}

/**
 * Lets administrators manage accounts: `GET` and `POST` at the path itself; `GET`, `PATCH` and `DELETE` at
 * `/{id}`; `DELETE` at `/{id}/sessions`, `POST` at `/{id}/password`.
 */
export function createUsersHandler(options: UsersHandlerOptions) {
  return forAdministrators(options, async (request) => {
    if (request.path === '' || request.path === '/') return serveUsers(options, request);
    const [, id = '', part] = /^\/([\w-]{1,64})(?:\/(sessions|password))?$/.exec(request.path) ?? [];
    if (id === '') throw nothingHere();
    if (part === 'sessions') return endSessions(options, request, id);
    if (part === 'password') return setPassword(options, request, id);
    return serveOne(options, request, id);
  });
}

async function serveUsers(
  { users, roles, passwords }: UsersHandlerOptions,
  request: AdministratorsRequest,
): Promise<GatewayResponse> {
  if (request.method === 'GET') {
    const [page, waiting] = [await users.page(readUserQuery(queryOf(request))), await users.count('waiting')];
    return jsonAnswer(200, { ...page, waiting, roles: roles() } satisfies UserListing<Date>);
  }
  if (request.method !== 'POST') throw methodNotAllowed('GET, HEAD, POST');
  const { password, ...user } = readFields(NEW_USER, request);
  const chosen = password ?? newPassword();
  await request.noting(
    () => [{ action: 'created an account', subject: user.email }],
    async () => {
      if (password !== undefined) await assertHardToGuess(password, user, request.user.id);
      await passwords.addUser({ ...user, password: chosen });
    },
  );
  const made = password === undefined ? chosen : null;
  return jsonAnswer(201, { user: await users.findByEmail(user.email), password: made });
}

async function serveOne(
  { users, keys, mail, authenticator }: UsersHandlerOptions,
  request: AdministratorsRequest,
  id: string,
): Promise<GatewayResponse> {
  switch (request.method) {
    case 'GET': {
      const [user, sessions] = [await users.find(id), await users.countSessions(id)];
      const names = (await keys.list(id)).map(({ name }) => name);
      return jsonAnswer(200, { ...user, sessions, keys: names } satisfies UserDetails<Date>);
    }
    case 'PATCH': {
      const { roles, enabled } = readFields(CHANGE, request);
      if (roles === undefined && enabled === undefined)
        throw new GatewayError('BadRequest', 'The body must have roles, enabled, or both.');
      const change = { roles, isEnabled: enabled };
      const user = await users.find(id);
      await request.noting(
        (before = user) => actsOf(before, change),
        () => users.change(id, change),
      );
      authenticator.forget();
      if (user.state === 'waiting' && change.isEnabled === true) mail?.approval(user);
      return jsonAnswer(200, await users.find(id));
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
      throw methodNotAllowed('GET, HEAD, PATCH, DELETE');
  }
}

async function endSessions(
  { users, authenticator }: UsersHandlerOptions,
  request: AdministratorsRequest,
  id: string,
): Promise<GatewayResponse> {
  if (request.method !== 'DELETE') throw methodNotAllowed('DELETE');
  const { email } = await users.find(id);
  await request.noting(
    () => [{ action: 'signed an account out everywhere', subject: email }],
    () => users.endSessions(id),
  );
  authenticator.forget();
  return NO_CONTENT;
}

async function setPassword(
  { users, passwords, authenticator }: UsersHandlerOptions,
  request: AdministratorsRequest,
  id: string,
): Promise<GatewayResponse> {
  if (request.method !== 'POST') throw methodNotAllowed('POST');
  const { password } = readFields(NEW_PASSWORD, request);
  const chosen = password ?? newPassword();
  const user = await users.find(id);
  await request.noting(
    () => [{ action: 'set the password of an account', subject: user.email }],
    async () => {
      if (password !== undefined) await assertHardToGuess(password, user, request.user.id);
      await passwords.setPassword(user, chosen);
    },
  );
  authenticator.forget();
  return jsonAnswer(200, { password: password === undefined ? chosen : null });
}

/** Without a password, the gateway generates one. */
const NEW_PASSWORD = z.object({ password: PASSWORD.optional() });

const NEW_USER = z.object({
  name: NAME,
  email: EMAIL,
  ...NEW_PASSWORD.shape,
  roles: ROLES.default([USER]),
});

const CHANGE = z.object({ roles: ROLES.optional(), enabled: FLAG.optional() });

const PASSWORD_BYTES = 15;

function newPassword(): string {
  return randomBytes(PASSWORD_BYTES).toString('base64url');
}

interface InvitationsHandlerOptions extends AdministratorsDependencies {
  readonly invitations: Invitations;
  readonly baseUrl: string;
  readonly signUp: SignUp;
  readonly mail: AccountMail | undefined;
  readonly users: Pick<Users, 'has'>;
}

/** Lets administrators invite users: `GET` and `POST` at the path itself, `DELETE` at `/{id}`. */
export function createInvitationsHandler(options: InvitationsHandlerOptions) {
  return forAdministrators(options, async (request) => {
    if (request.path === '' || request.path === '/') return serveInvitations(options, request);
    const [, id] = /^\/([\w-]{1,64})$/.exec(request.path) ?? [];
    if (id === undefined) throw nothingHere();
    if (request.method !== 'DELETE') throw methodNotAllowed('DELETE');
    await request.noting(
      (gone) => [{ action: 'withdrew an invitation', subject: gone?.email }],
      () => withdraw(options.invitations, id),
    );
    return NO_CONTENT;
  });
}

async function serveInvitations(
  options: InvitationsHandlerOptions,
  request: AdministratorsRequest,
): Promise<GatewayResponse> {
  const { invitations, baseUrl, mail } = options;
  if (request.method === 'GET') return jsonAnswer(200, { invitations: await invitations.list() });
  if (request.method !== 'POST') throw methodNotAllowed('GET, HEAD, POST');
  const invitation = readFields(NEW_INVITATION, request);
  const { text, ...made } = await request.noting(
    () => [{ action: 'invited a user', subject: invitation.email }],
    async () => {
      await assertUse(options, invitation.email);
      return invitations.invite({ ...invitation, invitedBy: request.user.email });
    },
  );
  const url = invitationUrl(baseUrl, { email: made.email, text });
  mail?.invitation(made, url);
  return jsonAnswer(201, { ...made, url, mailed: mail !== undefined });
}

async function withdraw(invitations: Invitations, id: string) {
  const gone = await invitations.withdraw(id);
  if (gone === undefined) throw new GatewayError('NotFound', 'There is no such invitation.');
  return gone;
}

/** Throws Conflict if the invitation could not be used. */
async function assertUse({ signUp, users }: InvitationsHandlerOptions, email: string): Promise<void> {
  if (signUp === 'off') {
    const message =
      'Nobody can sign up here, not even by invitation (SIGN_UP=off): create the account instead.';
    throw new GatewayError('Conflict', message);
  }
  await assertNew(users, email);
}

const DAYS = 7;
const MOST_DAYS = 365;

const NEW_INVITATION = z.object({
  email: EMAIL,
  roles: ROLES.default([USER]),
  days: wholeNumber(MOST_DAYS).default(DAYS),
});
