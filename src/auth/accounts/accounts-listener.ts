import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEmailVerificationToken } from 'better-auth/api';
import { GatewayError, nothingHere } from '../../contract/gateway-error.ts';
import { type JsonObject, parseJsonObject } from '../../contract/json-object.ts';
import type { Log } from '../../contract/log.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { accountsUnavailable, type User } from '../database/accounts-store.ts';
import type { Invitation } from '../invitations/invitations.ts';
import type { AccountMail } from '../mail/account-mail.ts';
import { withHashOf } from '../passwords/password-hash.ts';
import { assertHardToGuess } from '../passwords/password-judge.ts';
import { type Authenticator, credentialsOf, requireUser } from '../providers/authenticator.ts';
import { ACCOUNT_ROUTES, type AccountRoute, checkOrigin, pickFields } from '../requests/account-requests.ts';
import type { AddressOf } from '../requests/client-address.ts';
import type { RateLimits } from '../requests/rate-limits.ts';
import { type Accounts, CONFIRMATION_LIFE_S, withChosenRoles } from './accounts.ts';

interface AccountsListenerOptions {
  readonly accounts: Accounts;
  /** The public URL of what is served here, such as `https://api.example.com/api/auth`. */
  readonly url: string;
  readonly origins: readonly string[];
  readonly limits: RateLimits;
  readonly addressOf: AddressOf;
  /** Whether people sign in by passwords. */
  readonly passwords: boolean;
  /** Throws where nobody may sign up with that e-mail address. */
  readonly requireSignUp: (by: {
    readonly email: string;
    readonly invitation: unknown;
  }) => Promise<Invitation | undefined>;
  /** An invitation has been used. */
  readonly spend: (invitation: Invitation) => Promise<void>;
  /** With it, addresses are confirmed: nobody is told whether one has an account. */
  readonly mail: AccountMail | undefined;
  /** Mailed links for a new password of that user are good no more. */
  readonly dropLinks: (userId: string) => Promise<void>;
  readonly log: Log;
  /** Whether there is an account with that e-mail address. */
  readonly isTaken: (email: string) => Promise<boolean>;
  readonly authenticator: Pick<Authenticator, 'userOfSession' | 'forget'>;
  readonly trail: Pick<AuditTrail, 'note'>;
}

/** Sends what the guards let through on to better-auth, and its answer back. */
export function createAccountsListener(options: AccountsListenerOptions) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = pathBelow(request.url ?? '');
    const route = routeOf(path, request);
    checkOrigin(
      { method: request.method ?? '', headers: request.headers },
      options.origins,
      request.headers.cookie !== undefined,
    );
    if (!options.passwords && route.isByPassword) throw passwordsOff();
    const { invitation, ...body } = pickFields(
      route.fields,
      parseJsonObject(request.headers['content-type'], await buffer(request)),
    );
    const user = await knownUser(options, route, request);
    const attempt = { address: options.addressOf(request), account: user?.email ?? String(body['email']) };
    const noteRefusal = (error: unknown): never => {
      if (error instanceof GatewayError && error.status < 500)
        note(options, route, attempt, { request, isRefused: true });
      throw error;
    };
    await countAttempt(options, route, attempt).catch(noteRefusal);
    const ask = () =>
      options.accounts
        .handler(requestTo(`${options.url}${path}`, request, route, body))
        .catch((error: unknown) => Promise.reject(accountsUnavailable(error)));
    const found = await answerOf(options, route, attempt, async () => {
      const assertPassword = () =>
        assertChosenWell(route, body, user ?? { email: attempt.account, name: String(body['name']) });
      if (route.counted !== 'signUp') {
        await assertPassword().catch((error: unknown) =>
          takeBackRefused(options.limits, route, attempt, error),
        );
        return ask();
      }
      return signUp(options, attempt.account, invitation, async () => {
        await assertPassword();
        return withHashOf(String(body['password']), ask);
      });
    }).catch(noteRefusal);
    const answer = isUnconfirmed(route, found) ? mistaken(options, attempt, found) : found;
    if (answer.ok && user !== undefined && route.chooses === 'newPassword') await options.dropLinks(user.id);
    // Who has no session does not sign out.
    if (user !== undefined || route.counted !== undefined)
      note(options, route, attempt, { request, isRefused: !answer.ok });
    // A password was right also where something else stands against what it was given for.
    if (answer.ok || answer.status === 409) await forgiveAttempt(options.limits, route, attempt);
    if (route.endsSessions) options.authenticator.forget();
    setCookies(answer, response);
    if (path === '/sign-out') await assertSignedOut(options, request);
    await send(answer, response);
  };
}

function passwordsOff(): GatewayError {
  return new GatewayError('Forbidden', 'Password sign-in is off here: sign in with a provider.');
}

/** Takes note of what is worth it. */
function note(
  { trail }: AccountsListenerOptions,
  { audited }: AccountRoute,
  { account, address }: Attempt,
  { request, isRefused }: { readonly request: IncomingMessage; readonly isRefused: boolean },
): void {
  if (audited === undefined) return;
  const id = credentialsOf(request).headers['x-request-id'];
  trail.note({ action: audited, isRefused, actor: account, address, request: id });
}

/** What fails through no fault of who asks does not count as an attempt of his. */
async function answerOf(
  { limits }: AccountsListenerOptions,
  route: AccountRoute,
  attempt: Attempt,
  ask: () => Promise<Response>,
): Promise<Response> {
  try {
    const answer = await ask();
    if (answer.status >= 500) throw accountsUnavailable(undefined);
    return answer;
  } catch (error) {
    if (!(error instanceof GatewayError) || error.status >= 500)
      await takeBackAttempt(limits, route, attempt);
    throw error;
  }
}

async function assertChosenWell(
  { chooses }: AccountRoute,
  body: JsonObject,
  owner: Pick<User, 'email' | 'name'>,
): Promise<void> {
  if (chooses !== undefined) await assertHardToGuess(String(body[chooses]), owner);
}

/** Signs a user up with the roles that the invitation names, which is spent then. */
async function signUp(
  options: AccountsListenerOptions,
  email: string,
  text: unknown,
  ask: () => Promise<Response>,
): Promise<Response> {
  const invitation = await options.requireSignUp({ email, invitation: text });
  if (options.mail !== undefined && invitation === undefined) return unconfirmed(ask);
  await assertFree(options, email);
  if (invitation === undefined) return ask();
  const answer = await withChosenRoles(invitation.roles, ask);
  if (answer.ok) await options.spend(invitation);
  return answer;
}

/** The password is right, and the address has not been confirmed. */
function isUnconfirmed({ counted }: AccountRoute, { status }: Response): boolean {
  return counted === 'password' && status === 403;
}

/**
 * Told as a wrong password: whoever has just signed up with an address learns else, by its having an account or not,
 * whether the password is his. Its owner gets another link.
 */
function mistaken(options: AccountsListenerOptions, attempt: Attempt, { headers }: Response): Response {
  confirmAgain(options, attempt).catch((error: unknown) => {
    if (!(error instanceof GatewayError) || error.code !== 'TooManyRequests')
      options.log.warn({ err: error }, 'an address could not be asked to confirm again');
  });
  const body = { message: 'Invalid email or password', code: 'INVALID_EMAIL_OR_PASSWORD' };
  return new Response(JSON.stringify(body), { status: 401, headers });
}

async function confirmAgain(
  { accounts, limits, mail }: AccountsListenerOptions,
  { address, account }: Attempt,
): Promise<void> {
  await limits.countMail(address, account);
  const { secret } = await accounts.$context;
  const token = await createEmailVerificationToken(secret, account, undefined, CONFIRMATION_LIFE_S);
  mail?.confirmation({ email: account }, token);
}

/** How long a sign-up takes at least: what is done for a new account takes longer than what is done for a known one. */
const LEAST_MS = 500;

/** Answers alike whether the address has an account or not; only its owner is told, by mail. */
async function unconfirmed(ask: () => Promise<Response>): Promise<Response> {
  const [answer] = await Promise.all([ask(), sleep(LEAST_MS)]);
  // Two who sign up with one address at once are both told the same, too.
  return answer.ok || answer.status === 422 ? Response.json({ confirmation: 'email' }) : answer;
}

/**
 * Nobody is asked by mail whether an address is his own. Not to say that it is taken would hide nothing: whoever
 * then signs in with the password that he has chosen would see.
 */
async function assertFree({ isTaken }: AccountsListenerOptions, email: string): Promise<void> {
  if (!(await isTaken(email))) return;
  throw new GatewayError('Conflict', 'There is already an account with this address: sign in.', {
    target: 'email',
  });
}

/** Whose session it is, where that is needed. */
async function knownUser(
  options: AccountsListenerOptions,
  { forSession, endsSessions }: AccountRoute,
  request: IncomingMessage,
): Promise<User | undefined> {
  if (forSession) return requireUser(options.authenticator, request);
  // Whoever signs out is let go also where nobody can say who he was.
  return endsSessions
    ? options.authenticator.userOfSession(credentialsOf(request)).catch(() => undefined)
    : undefined;
}

/** The library says that a session has ended also where the database did not hear of it. */
async function assertSignedOut(
  { authenticator }: AccountsListenerOptions,
  request: IncomingMessage,
): Promise<void> {
  if ((await authenticator.userOfSession(credentialsOf(request))) !== undefined)
    throw accountsUnavailable(undefined);
}

/** The path below the accounts: `/sign-in/email` of `/api/auth/sign-in/email?x=1`. */
function pathBelow(target: string): string {
  const [path = ''] = target.split(/[?#]/, 1);
  return path.slice(MOUNTED_AT.length);
}

export const MOUNTED_AT = '/api/auth';

function routeOf(path: string, { method }: IncomingMessage): AccountRoute {
  const route = ACCOUNT_ROUTES.get(path);
  if (route === undefined) throw nothingHere();
  if (method === route.method || (method === 'HEAD' && route.method === 'GET')) return route;
  throw new GatewayError('MethodNotAllowed', `Only ${route.method} is allowed here.`, {
    headers: { allow: route.method === 'GET' ? 'GET, HEAD' : route.method },
  });
}

/** Where a request comes from, and the address of the account that it is about. */
interface Attempt {
  readonly address: string;
  readonly account: string;
}

async function countAttempt(
  { limits, mail }: AccountsListenerOptions,
  route: AccountRoute,
  { address, account }: Attempt,
): Promise<void> {
  await limits.countRequest(address);
  if (route.counted === 'signUp') await limits.countSignUp(address);
  if (route.counted === 'signUp' && mail !== undefined) await limits.countMail(address, account);
  if (route.counted === 'password') await limits.countPassword(address, account);
  if (route.counted === 'ownPassword') await limits.countOwnPassword(address, account);
}

/** Whoever looks for a password that is hard to guess has not guessed any. */
async function takeBackRefused(
  limits: RateLimits,
  route: AccountRoute,
  attempt: Attempt,
  error: unknown,
): Promise<never> {
  if (error instanceof GatewayError && error.status < 500) await takeBackAttempt(limits, route, attempt);
  throw error;
}

async function takeBackAttempt(
  limits: RateLimits,
  { counted }: AccountRoute,
  { address, account }: Attempt,
): Promise<void> {
  if (counted === 'signUp') await limits.takeBackSignUp(address);
  if (counted === 'password') await limits.takeBackPassword(address, account);
  if (counted === 'ownPassword') await limits.takeBackOwnPassword(address, account);
}

/** The password was right. */
async function forgiveAttempt(
  limits: RateLimits,
  { counted }: AccountRoute,
  { address, account }: Attempt,
): Promise<void> {
  if (counted === 'password') await limits.forgive(address, account);
  if (counted === 'ownPassword') await limits.forgiveOwn(address, account);
}

/** Of the client's header fields, the library sees those that say who it is. */
function requestTo(
  url: string,
  { headers }: IncomingMessage,
  route: AccountRoute,
  body: JsonObject,
): Request {
  const fields = new Headers();
  for (const name of ['authorization', 'cookie', 'origin', 'user-agent'] as const) {
    const value = headers[name];
    if (value !== undefined) fields.set(name, value);
  }
  if (route.method === 'GET') return new Request(url, { headers: fields });
  fields.set('content-type', 'application/json');
  return new Request(url, { method: route.method, headers: fields, body: JSON.stringify(body) });
}

function setCookies(answer: Response, response: ServerResponse): void {
  const cookies = answer.headers.getSetCookie();
  if (cookies.length > 0) response.setHeader('set-cookie', cookies);
}

async function send(answer: Response, response: ServerResponse): Promise<void> {
  const body = Buffer.from(await answer.arrayBuffer());
  for (const [name, value] of answer.headers) if (name !== 'set-cookie') response.setHeader(name, value);
  if (!answer.headers.has('cache-control')) response.setHeader('cache-control', 'no-store');
  response.setHeader('content-length', body.length);
  response.writeHead(answer.status).end(body);
}
