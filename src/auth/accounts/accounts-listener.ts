import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEmailVerificationToken } from 'better-auth/api';
import { pathOf } from '../../contract/exchange.ts';
import { GatewayError, methodNotAllowed, nothingHere } from '../../contract/gateway-error.ts';
import { parseJsonObject } from '../../contract/json-body.ts';
import type { Log } from '../../contract/log.ts';
import type { JsonObject } from '../../core/json-object.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { accountsUnavailable, orUnavailable, type User } from '../database/accounts-store.ts';
import type { Invitation } from '../invitations/invitations.ts';
import { type AccountMail, withoutMail } from '../mail/account-mail.ts';
import { withHashOf } from '../passwords/password-hash.ts';
import { assertHardToGuess } from '../passwords/password-judge.ts';
import type { Authenticator } from '../providers/authenticator.ts';
import {
  ACCOUNT_ROUTES,
  type AccountRoute,
  asking,
  checkOrigin,
  pickFields,
} from '../requests/account-requests.ts';
import { type AddressOf, networkOf } from '../requests/client-address.ts';
import type { RateLimits } from '../requests/rate-limits.ts';
import type { Users } from '../users/users.ts';
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
  readonly users: Pick<Users, 'has'>;
  readonly authenticator: Pick<Authenticator, 'userOfSession' | 'requireUser' | 'forget'>;
  readonly trail: Pick<AuditTrail, 'note'>;
}

/** Sends what the guards let through on to better-auth, and its answer back. */
export function createAccountsListener(options: AccountsListenerOptions) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const asked = await readAsked(options, request);
    const answer = await answerTo(options, asked);
    await takeEffect(options, asked, answer);
    const cookies = answer.headers.getSetCookie();
    if (cookies.length > 0) response.setHeader('set-cookie', cookies);
    if (asked.path === '/sign-out') await assertSignedOut(options, request);
    await send(answer, response);
  };
}

/** A request that may go on: to what, with what, and who it is about. */
interface Asked {
  readonly request: IncomingMessage;
  /** Below {@link MOUNTED_AT}. */
  readonly path: string;
  readonly route: AccountRoute;
  /** The fields of the body. */
  readonly fields: JsonObject;
  /** Whose session the request shows, where the route asks for it. */
  readonly user: User | undefined;
  /** The address that it comes from. */
  readonly address: string;
  /** The e-mail address of the account that it is about. */
  readonly account: string;
}

async function readAsked(options: AccountsListenerOptions, request: IncomingMessage): Promise<Asked> {
  const path = pathOf(request.url ?? '').slice(MOUNTED_AT.length);
  const route = routeOf(path, request);
  checkOrigin(asking(request), options.origins, request.headers.cookie !== undefined);
  if (!options.passwords && route.isByPassword) throw passwordsOff();
  const body = parseJsonObject(request.headers['content-type'], await buffer(request));
  const fields = pickFields(route.fields, body);
  const user = await knownUser(options, route, request);
  const account = user?.email ?? String(fields['email']);
  return { request, path, route, fields, user, address: options.addressOf(request), account };
}

/** Takes note of what is refused before the library is asked, too. */
async function answerTo(options: AccountsListenerOptions, asked: Asked): Promise<Response> {
  try {
    await countAttempt(options, asked);
    const answer = await judge(options, asked);
    return isUnconfirmed(asked.route, answer) ? mistaken(options, asked, answer) : answer;
  } catch (error) {
    if (isRefusal(error)) note(options, asked, true);
    throw error;
  }
}

/** What has changed by an answer, beside what it says. */
async function takeEffect(
  options: AccountsListenerOptions,
  asked: Asked,
  { ok, status }: Response,
): Promise<void> {
  const { route, user, address, account } = asked;
  if (ok && user !== undefined && route.chooses === 'newPassword') await options.dropLinks(user.id);
  // Who has no session does not sign out.
  if (user !== undefined || route.counted !== undefined) note(options, asked, !ok);
  // A password was right also where something else stands against what it was given for.
  const isRight = ok || status === 409;
  if (isRight && route.counted !== undefined) await options.limits.forgive(route.counted, address, account);
  if (route.endsSessions) options.authenticator.forget();
}

function passwordsOff(): GatewayError {
  return new GatewayError('Forbidden', 'Password sign-in is off here: sign in with a provider.');
}

/** Takes note of what is worth it. */
function note(
  { trail }: AccountsListenerOptions,
  { request, route, account, address }: Asked,
  isRefused: boolean,
): void {
  if (route.audited === undefined) return;
  const id = asking(request).headers['x-request-id'];
  trail.note({ action: route.audited, isRefused, actor: account, address, request: id });
}

function isRefusal(error: unknown): boolean {
  return error instanceof GatewayError && error.status < 500;
}

/**
 * The library's answer. What fails through no fault of who asks does not count as an attempt of his, nor does a new
 * password that is easy to guess: whoever looks for another one has not guessed any.
 */
async function judge(options: AccountsListenerOptions, asked: Asked): Promise<Response> {
  const { counted } = asked.route;
  try {
    const answer = await (counted === 'signUp' ? signUp(options, asked) : askChosenWell(options, asked));
    if (answer.status >= 500) throw accountsUnavailable(undefined);
    return answer;
  } catch (error) {
    if (counted !== undefined && !(counted === 'signUp' && isRefusal(error)))
      await options.limits.takeBack(counted, asked.address, asked.account);
    throw error;
  }
}

/** Asks the library, unless a password is chosen that is easy to guess. */
async function askChosenWell(
  options: AccountsListenerOptions,
  asked: Asked,
  ask: () => Promise<Response> = () => askLibrary(options, asked),
): Promise<Response> {
  const { route, fields, user, account, address } = asked;
  const owner = user ?? { email: account, name: String(fields['name']) };
  if (route.chooses !== undefined) {
    await assertHardToGuess(String(fields[route.chooses]), owner, networkOf(address));
  }
  return ask();
}

function askLibrary({ accounts, url }: AccountsListenerOptions, asked: Asked): Promise<Response> {
  return orUnavailable(() => accounts.handler(requestTo(`${url}${asked.path}`, asked)));
}

/** Signs a user up with the roles that the invitation names, which is spent then. */
async function signUp(options: AccountsListenerOptions, asked: Asked): Promise<Response> {
  const { account: email, fields } = asked;
  const ask = () =>
    askChosenWell(options, asked, () =>
      withHashOf(String(fields['password']), () => askLibrary(options, asked)),
    );
  const invitation = await options.requireSignUp({ email, invitation: fields['invitation'] });
  if (options.mail !== undefined && invitation === undefined)
    return unconfirmed(() => mailed(options, asked, ask));
  await assertFree(options, email);
  if (invitation === undefined) return ask();
  const answer = await withChosenRoles(invitation.roles, ask);
  if (answer.ok) await options.spend(invitation);
  return answer;
}

/** Has the account created, and a message sent unless too many were. What fails has sent none. */
async function mailed(
  { limits }: AccountsListenerOptions,
  { address, account }: Asked,
  ask: () => Promise<Response>,
): Promise<Response> {
  const isAdmitted = await limits.admitMail(address, account);
  try {
    const answer = await (isAdmitted ? ask() : withoutMail(ask));
    if (answer.status >= 500) throw accountsUnavailable(undefined);
    return answer;
  } catch (error) {
    await limits.takeBackMail(address, account);
    throw error;
  }
}

/** The password is right, and the address has not been confirmed. */
function isUnconfirmed({ counted }: AccountRoute, { status }: Response): boolean {
  return counted === 'password' && status === 403;
}

/**
 * Told as a wrong password: whoever has just signed up with an address learns else, by its having an account or not,
 * whether the password is his. Its owner gets another link.
 */
function mistaken(options: AccountsListenerOptions, asked: Asked, { headers }: Response): Response {
  confirmAgain(options, asked).catch((error: unknown) => {
    if (!(error instanceof GatewayError) || error.code !== 'TooManyRequests')
      options.log.warn({ err: error }, 'an address could not be asked to confirm again');
  });
  const body = { message: 'Invalid email or password', code: 'INVALID_EMAIL_OR_PASSWORD' };
  return new Response(JSON.stringify(body), { status: 401, headers });
}

async function confirmAgain(
  { accounts, limits, mail }: AccountsListenerOptions,
  { address, account }: Asked,
): Promise<void> {
  await limits.countMail(address);
  if (!(await limits.admitMail(address, account))) return;
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
async function assertFree({ users }: AccountsListenerOptions, email: string): Promise<void> {
  if (!(await users.has(email))) return;
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
  if (forSession) return options.authenticator.requireUser(asking(request));
  // Whoever signs out is let go also where nobody can say who he was.
  return endsSessions
    ? options.authenticator.userOfSession(asking(request)).catch(() => undefined)
    : undefined;
}

/** The library says that a session has ended also where the database did not hear of it. */
async function assertSignedOut(
  { authenticator }: AccountsListenerOptions,
  request: IncomingMessage,
): Promise<void> {
  if ((await authenticator.userOfSession(asking(request))) !== undefined)
    throw accountsUnavailable(undefined);
}

export const MOUNTED_AT = '/api/auth';

function routeOf(path: string, { method }: IncomingMessage): AccountRoute {
  const route = ACCOUNT_ROUTES.get(path);
  if (route === undefined) throw nothingHere();
  if (method === route.method || (method === 'HEAD' && route.method === 'GET')) return route;
  throw methodNotAllowed(route.method === 'GET' ? 'GET, HEAD' : route.method);
}

async function countAttempt(
  { limits, mail }: AccountsListenerOptions,
  { route: { counted }, address, account }: Asked,
): Promise<void> {
  await limits.countRequest(address);
  if (counted !== undefined) await limits.count(counted, address, account);
  if (counted === 'signUp' && mail !== undefined) await limits.countMail(address);
}

/** Of the client's header fields, the library sees those that say who it is; of the fields, not the invitation. */
function requestTo(url: string, { request, route, fields: { invitation: _, ...body } }: Asked): Request {
  const headers = new Headers();
  for (const name of ['authorization', 'cookie', 'origin', 'user-agent'] as const) {
    const value = request.headers[name];
    if (value !== undefined) headers.set(name, value);
  }
  if (route.method === 'GET') return new Request(url, { headers });
  headers.set('content-type', 'application/json');
  return new Request(url, { method: route.method, headers, body: JSON.stringify(body) });
}

async function send(answer: Response, response: ServerResponse): Promise<void> {
  const body = Buffer.from(await answer.arrayBuffer());
  for (const [name, value] of answer.headers) if (name !== 'set-cookie') response.setHeader(name, value);
  if (!answer.headers.has('cache-control')) response.setHeader('cache-control', 'no-store');
  response.setHeader('content-length', body.length);
  response.writeHead(answer.status).end(body);
}
