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
  /** The public URL of this listener, such as `https://api.example.com/api/auth`. */
  readonly url: string;
  readonly origins: readonly string[];
  readonly limits: RateLimits;
  readonly addressOf: AddressOf;
  readonly passwords: boolean;
  /** Throws Forbidden if the address may not sign up. */
  readonly requireSignUp: (by: {
    readonly email: string;
    readonly invitation: unknown;
  }) => Promise<Invitation | undefined>;
  /** Marks an invitation as used. */
  readonly spend: (invitation: Invitation) => Promise<void>;
  /**
   * If given, users must confirm their address, and no response reveals whether an address has an account.
   */
  readonly mail: AccountMail | undefined;
  /** Invalidates the links for a new password that were mailed to the user. */
  readonly dropLinks: (userId: string) => Promise<void>;
  readonly log: Log;
  readonly users: Pick<Users, 'has'>;
  readonly authenticator: Pick<Authenticator, 'userOfSession' | 'requireUser' | 'forget'>;
  readonly trail: Pick<AuditTrail, 'note'>;
}

/**
 * Passes the requests of known routes that are within the limits to better-auth, and returns its responses.
 */
export function createAccountsListener(options: AccountsListenerOptions) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const accountRequest = await readAccountRequest(options, request);
    const answer = await answerTo(options, accountRequest);
    await takeEffect(options, accountRequest, answer);
    const cookies = answer.headers.getSetCookie();
    if (cookies.length > 0) response.setHeader('set-cookie', cookies);
    if (accountRequest.path === '/sign-out') await assertSignedOut(options, request);
    await send(answer, response);
  };
}

/** A validated request for a known route. */
interface AccountRequest {
  readonly request: IncomingMessage;
  readonly path: string;
  readonly route: AccountRoute;
  readonly fields: JsonObject;
  /** The user of the session, if the route needs one. */
  readonly user: User | undefined;
  readonly address: string;
  /** The e-mail address of the account that the request is about. */
  readonly account: string;
}

async function readAccountRequest(
  options: AccountsListenerOptions,
  request: IncomingMessage,
): Promise<AccountRequest> {
  const path = pathOf(request.url ?? '').slice(MOUNTED_AT.length);
  const route = routeOf(path, request);
  checkOrigin(asking(request), options.origins, request.headers.cookie !== undefined);
  if (!options.passwords && route.isByPassword)
    throw new GatewayError('Forbidden', 'Password sign-in is off here: sign in with a provider.');
  const body = parseJsonObject(request.headers['content-type'], await buffer(request));
  const fields = pickFields(route.fields, body);
  const user = await knownUser(options, route, request);
  const account = user?.email ?? String(fields['email']);
  return { request, path, route, fields, user, address: options.addressOf(request), account };
}

/** Also records the requests that are rejected before they reach better-auth. */
async function answerTo(options: AccountsListenerOptions, accountRequest: AccountRequest): Promise<Response> {
  try {
    await countAttempt(options, accountRequest);
    const answer = await judge(options, accountRequest);
    return isUnconfirmed(accountRequest.route, answer) ? mistaken(options, accountRequest, answer) : answer;
  } catch (error) {
    if (isRefusal(error)) note(options, accountRequest, true);
    throw error;
  }
}

/** Applies the side effects of a response: revoked sessions, audit events, rate limits. */
async function takeEffect(
  options: AccountsListenerOptions,
  accountRequest: AccountRequest,
  { ok, status }: Response,
): Promise<void> {
  const { route, user, address, account } = accountRequest;
  if (ok && user !== undefined && route.chooses === 'newPassword') await options.dropLinks(user.id);
  // Without a session, there is no sign-out to record.
  if (user !== undefined || route.counted !== undefined) note(options, accountRequest, !ok);
  // After 409 the password was right, too: something else prevented the change.
  const isRight = ok || status === 409;
  if (isRight && route.counted !== undefined) await options.limits.forgive(route.counted, address, account);
  if (route.endsSessions) options.authenticator.forget();
}

/** Records the request in the audit log if its route is audited. */
function note(
  { trail }: AccountsListenerOptions,
  { request, route, account, address }: AccountRequest,
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
 * Calls better-auth and takes the attempt back from the rate limits if it was not a wrong guess: on internal
 * errors, and for a new password that is too easy to guess.
 */
async function judge(options: AccountsListenerOptions, accountRequest: AccountRequest): Promise<Response> {
  const { counted } = accountRequest.route;
  try {
    const answer = await (counted === 'signUp'
      ? signUp(options, accountRequest)
      : askChosenWell(options, accountRequest));
    if (answer.status >= 500) throw accountsUnavailable(undefined);
    return answer;
  } catch (error) {
    if (counted !== undefined && !(counted === 'signUp' && isRefusal(error)))
      await options.limits.takeBack(counted, accountRequest.address, accountRequest.account);
    throw error;
  }
}

/** Calls better-auth, unless the new password is easy to guess. */
async function askChosenWell(
  options: AccountsListenerOptions,
  accountRequest: AccountRequest,
  ask: () => Promise<Response> = () => askLibrary(options, accountRequest),
): Promise<Response> {
  const { route, fields, user, account, address } = accountRequest;
  const owner = user ?? { email: account, name: String(fields['name']) };
  if (route.chooses !== undefined) {
    await assertHardToGuess(String(fields[route.chooses]), owner, networkOf(address));
  }
  return ask();
}

function askLibrary(
  { accounts, url }: AccountsListenerOptions,
  accountRequest: AccountRequest,
): Promise<Response> {
  return orUnavailable(() => accounts.handler(requestTo(`${url}${accountRequest.path}`, accountRequest)));
}

/** Creates an account with the roles that the invitation names, and marks the invitation as used. */
async function signUp(options: AccountsListenerOptions, accountRequest: AccountRequest): Promise<Response> {
  const { account: email, fields } = accountRequest;
  const ask = () =>
    askChosenWell(options, accountRequest, () =>
      withHashOf(String(fields['password']), () => askLibrary(options, accountRequest)),
    );
  const invitation = await options.requireSignUp({ email, invitation: fields['invitation'] });
  if (options.mail !== undefined && invitation === undefined)
    return unconfirmed(() => mailed(options, accountRequest, ask));
  await assertFree(options, email);
  if (invitation === undefined) return ask();
  const answer = await withChosenRoles(invitation.roles, ask);
  if (answer.ok) await options.spend(invitation);
  return answer;
}

/**
 * Runs a request that mails a message, without the message if too many were sent. A failed request does not
 * count.
 */
async function mailed(
  { limits }: AccountsListenerOptions,
  { address, account }: AccountRequest,
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

/** Whether the password is right but the address is not confirmed. */
function isUnconfirmed({ counted }: AccountRoute, { status }: Response): boolean {
  return counted === 'password' && status === 403;
}

/**
 * Answers like a wrong password and mails the owner another link: otherwise the response would tell a client
 * who has just signed up with an address whether it has an account.
 */
function mistaken(
  options: AccountsListenerOptions,
  accountRequest: AccountRequest,
  { headers }: Response,
): Response {
  confirmAgain(options, accountRequest).catch((error: unknown) => {
    if (!(error instanceof GatewayError) || error.code !== 'TooManyRequests')
      options.log.warn({ err: error }, 'an address could not be asked to confirm again');
  });
  const body = { message: 'Invalid email or password', code: 'INVALID_EMAIL_OR_PASSWORD' };
  return new Response(JSON.stringify(body), { status: 401, headers });
}

async function confirmAgain(
  { accounts, limits, mail }: AccountsListenerOptions,
  { address, account }: AccountRequest,
): Promise<void> {
  await limits.countMail(address);
  if (!(await limits.admitMail(address, account))) return;
  const { secret } = await accounts.$context;
  const token = await createEmailVerificationToken(secret, account, undefined, CONFIRMATION_LIFE_S);
  mail?.confirmation({ email: account }, token);
}

/**
 * Minimum duration of a sign-up in milliseconds: creating an account takes longer than finding one, which
 * clients could measure.
 */
const LEAST_MS = 500;

/**
 * Returns the same response whether or not the address has an account; only its owner learns that, by mail.
 */
async function unconfirmed(ask: () => Promise<Response>): Promise<Response> {
  const [answer] = await Promise.all([ask(), sleep(LEAST_MS)]);
  // 422: two concurrent sign-ups with one address. Both get the same response.
  return answer.ok || answer.status === 422 ? Response.json({ confirmation: 'email' }) : answer;
}

/**
 * Throws Conflict if the address has an account. Without confirmation by mail, hiding this would be useless:
 * the client could find out by signing in.
 */
async function assertFree({ users }: AccountsListenerOptions, email: string): Promise<void> {
  if (!(await users.has(email))) return;
  throw new GatewayError('Conflict', 'There is already an account with this address: sign in.', {
    target: 'email',
  });
}

/** The user of the session, for routes that need one. */
async function knownUser(
  options: AccountsListenerOptions,
  { forSession, endsSessions }: AccountRoute,
  request: IncomingMessage,
): Promise<User | undefined> {
  if (forSession) return options.authenticator.requireUser(asking(request));
  // A sign-out succeeds even if the accounts cannot tell whose session it was.
  return endsSessions
    ? options.authenticator.userOfSession(asking(request)).catch(() => undefined)
    : undefined;
}

/**
 * Checks in the database that the session has ended: better-auth also reports success when the database
 * failed.
 */
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
  { route: { counted }, address, account }: AccountRequest,
): Promise<void> {
  await limits.countRequest(address);
  if (counted !== undefined) await limits.count(counted, address, account);
  if (counted === 'signUp' && mail !== undefined) await limits.countMail(address);
}

/** Passes on only the headers that identify the client, and no invitation. */
function requestTo(
  url: string,
  { request, route, fields: { invitation: _, ...body } }: AccountRequest,
): Request {
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
