import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { jsonAnswer, pathOf } from '../../contract/exchange.ts';
import { GatewayError, methodNotAllowed, nothingHere } from '../../contract/gateway-error.ts';
import { parseJsonObject } from '../../contract/json-body.ts';
import type { Log } from '../../contract/log.ts';
import { Secret } from '../../core/secret.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { accountsUnavailable, orUnavailable } from '../database/accounts-store.ts';
import type { TextSeal } from '../database/sealed-text.ts';
import type { Authenticator } from '../providers/authenticator.ts';
import { asking, checkOrigin, INVITATION, must, pickFields } from '../requests/account-requests.ts';
import type { AddressOf } from '../requests/client-address.ts';
import type { RateLimits } from '../requests/rate-limits.ts';
import type { Admission, Identity, IssuerAccounts, Refusal } from './issuer-accounts.ts';
import type { AuthorizationRequest, IssuerClient, SignedIn, SignInFailure } from './issuer-client.ts';

/** An issuer that users can sign in with. */
export interface SignInIssuer {
  readonly issuer: string;
  /** The name shown to users. */
  readonly name: string;
  /** The segment that identifies the issuer in paths. */
  readonly path: string;
  readonly client: IssuerClient;
  readonly identityOf: (signedIn: SignedIn) => Identity;
}

interface IssuersListenerOptions {
  readonly issuers: readonly SignInIssuer[];
  readonly accounts: Accounts;
  readonly people: IssuerAccounts;
  readonly cookies: BegunCookies;
  readonly baseUrl: string;
  readonly origins: readonly string[];
  readonly authenticator: Pick<Authenticator, 'userOfSession' | 'requireUser' | 'forget'>;
  readonly limits: Pick<RateLimits, 'countRequest' | 'count'>;
  readonly addressOf: AddressOf;
  readonly trail: Pick<AuditTrail, 'note'>;
  readonly log: Log;
}

const ISSUERS_AT = '/api/auth/issuers';

/** The callback URL, which has to be registered at the issuer. */
export function redirectUriOf(baseUrl: string, path: string): string {
  return `${baseUrl}${ISSUERS_AT}/${path}/callback`;
}

/**
 * Signs users in with issuers. `POST {issuer}/sign-in` returns where to redirect the browser, and `POST
 * {issuer}/connect` does so for the account of a session; the issuer redirects the browser to `GET
 * {issuer}/callback`. `GET` at the path itself lists what a user's account is connected to.
 */
export function createIssuersListener(options: IssuersListenerOptions) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = pathOf(request.url ?? '');
    const [, of, act] = /^\/([\w.-]+)\/([a-z-]+)$/.exec(path.slice(ISSUERS_AT.length)) ?? [];
    await options.limits.countRequest(options.addressOf(request));
    if (path === ISSUERS_AT) return tellWays(options, request, response);
    const issuer = options.issuers.find((each) => each.path === of);
    if (issuer === undefined) throw nothingHere();
    switch (act) {
      case 'sign-in':
      case 'connect':
        return begin(options, issuer, act, request, response);
      case 'callback':
        return finish(options, issuer, request, response);
      default:
        throw nothingHere();
    }
  };
}

async function tellWays(
  options: IssuersListenerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'GET') throw methodNotAllowed('GET');
  const user = await options.authenticator.requireUser(asking(request));
  const { issuers, hasPassword } = await options.people.waysOf(user.id);
  const ways = options.issuers.map(({ name, path, issuer }) => ({
    name,
    path,
    isConnected: issuers.includes(issuer),
  }));
  answer(response, { hasPassword, issuers: ways });
}

/** A longer path would not fit into a cookie. */
const LONGEST_RETURN = 1_000;

const BEGIN_FIELDS = z.object({
  return: must<string>(
    'a path of this service, such as /app/account',
    (value) => typeof value === 'string',
  ).optional(),
  invitation: INVITATION,
});

async function begin(
  options: IssuersListenerOptions,
  issuer: SignInIssuer,
  act: 'sign-in' | 'connect',
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'POST') throw methodNotAllowed('POST');
  const { headers } = request;
  checkOrigin(asking(request), options.origins, headers.cookie !== undefined);
  const body = pickFields(BEGIN_FIELDS, parseJsonObject(headers['content-type'], await buffer(request)));
  const connects =
    act === 'connect' ? (await options.authenticator.requireUser(asking(request))).id : undefined;
  const { url, pending } = await issuer.client.begin().catch((err: unknown) => {
    options.log.warn({ err, issuer: issuer.issuer }, 'an issuer cannot be asked');
    throw new GatewayError('AccountsUnavailable', `${issuer.name} cannot be reached at the moment.`);
  });
  const { invitation } = body;
  const kept = {
    ...pending,
    returnTo: act === 'connect' ? ACCOUNT_PAGE : ownPath(body['return']),
    invitation: typeof invitation === 'string' ? invitation : undefined,
    connects,
  };
  response.setHeader('set-cookie', options.cookies.write(issuer.path, kept));
  answer(response, { url });
}

const SIGN_IN_PAGE = '/app/sign-in';
const ACCOUNT_PAGE = '/app/account';

/** A local path. It is appended to the gateway's own origin, so that it cannot lead to another site. */
function ownPath(text: unknown): string {
  const isPath =
    typeof text === 'string' && text.length <= LONGEST_RETURN && /^\/(?![/\\])[\x21-\x7e]*$/.test(text);
  return isPath ? text : '/';
}

type Admitted = Admission & { readonly kind: 'admitted' };

/** The outcome of a sign-in, as shown on the screens. */
type Outcome =
  | {
      readonly kind: 'done';
      readonly admitted: Admitted;
      /** The Set-Cookie fields of the new session; empty if the user has a session already. */
      readonly session: readonly string[];
    }
  | {
      readonly kind: 'refused';
      readonly refusal: Refusal | SignInFailure | 'often';
      readonly email?: string | undefined;
      readonly step?: 'signedUp' | undefined;
    };

async function finish(
  options: IssuersListenerOptions,
  issuer: SignInIssuer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'GET') throw methodNotAllowed('GET');
  const pending = options.cookies.read(issuer.path, request.headers.cookie);
  const outcome = await outcomeOf(options, issuer, pending, request);
  note(options, issuer, { outcome, pending, request });
  if (outcome.kind === 'done' && outcome.admitted.roles !== undefined) options.authenticator.forget();
  response.setHeader('set-cookie', cookiesOf(options, outcome));
  response.setHeader('cache-control', 'no-store');
  const location = `${options.baseUrl}${pageOf(issuer, outcome, pending)}`;
  response.writeHead(303, { location, 'content-length': '0' }).end();
}

async function outcomeOf(
  options: IssuersListenerOptions,
  issuer: SignInIssuer,
  pending: PendingSignIn | undefined,
  request: IncomingMessage,
): Promise<Outcome> {
  if (pending === undefined) return { kind: 'refused', refusal: 'expired' };
  const { searchParams } = new URL(request.url ?? '', 'http://localhost');
  const result = await issuer.client.finish(searchParams, pending);
  if (result.kind === 'failed') {
    const { failure, reason } = result;
    const write = failure === 'denied' || failure === 'expired' ? options.log.info : options.log.warn;
    write.call(
      options.log,
      { issuer: issuer.issuer, reason, id: idOf(request) },
      'a sign-in with a provider has failed',
    );
    return { kind: 'refused', refusal: failure };
  }
  try {
    const admission = await admit(options, issuer.identityOf(result), pending, request);
    if (admission.kind === 'refused') return admission;
    const session = pending.connects === undefined ? await startSession(options, admission, request) : [];
    if (session === undefined) return { kind: 'refused', refusal: 'disabled', email: admission.email };
    return { kind: 'done', admitted: admission, session };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    options.log.warn({ err: error, id: idOf(request) }, 'a sign-in with a provider has failed');
    return { kind: 'refused', refusal: error.code === 'TooManyRequests' ? 'often' : 'unavailable' };
  }
}

async function admit(
  options: IssuersListenerOptions,
  identity: Identity,
  { connects, invitation }: PendingSignIn,
  request: IncomingMessage,
): Promise<Admission | (Outcome & { readonly kind: 'refused' })> {
  const { people, limits, addressOf } = options;
  if (connects === undefined)
    return people.admit(identity, invitation, () =>
      limits.count('signUp', addressOf(request), identity.email ?? ''),
    );
  const user = await options.authenticator.userOfSession(asking(request));
  // Another user may have signed in with the same browser meanwhile.
  if (user?.id !== connects) return { kind: 'refused', refusal: 'expired', email: user?.email };
  return people.connect(identity, user);
}

/** Undefined for a user who has been disabled meanwhile. */
async function startSession(
  { accounts }: IssuersListenerOptions,
  { userId }: Admitted,
  { headers }: IncomingMessage,
): Promise<readonly string[] | undefined> {
  const started = await orUnavailable(() =>
    accounts.api.startIssuerSession({
      body: { userId },
      headers: new Headers({ 'user-agent': headers['user-agent'] ?? '' }),
      asResponse: true,
    }),
  );
  if (started.status >= 500) throw accountsUnavailable(undefined);
  const cookies = started.headers.getSetCookie();
  return started.ok && cookies.length > 0 ? cookies : undefined;
}

/**
 * An expired sign-in keeps the cookie: a foreign page that opens the callback must not end a sign-in that the
 * user has begun.
 */
function cookiesOf({ cookies }: IssuersListenerOptions, outcome: Outcome): readonly string[] {
  if (outcome.kind === 'done') return [cookies.removal, ...outcome.session];
  return outcome.refusal === 'expired' ? [] : [cookies.removal];
}

/** The screen to redirect to. */
function pageOf(issuer: SignInIssuer, outcome: Outcome, pending: PendingSignIn | undefined): string {
  const connects = pending?.connects !== undefined;
  if (outcome.kind === 'done') {
    return connects
      ? `${ACCOUNT_PAGE}?${new URLSearchParams({ connected: issuer.path })}`
      : (pending?.returnTo ?? '/');
  }
  const outcomeQuery = { refused: outcome.refusal, by: issuer.path };
  if (connects) return `${ACCOUNT_PAGE}?${new URLSearchParams(outcomeQuery)}`;
  const back = pending === undefined || pending.returnTo === '/' ? {} : { return: pending.returnTo };
  return `${SIGN_IN_PAGE}?${new URLSearchParams({ ...outcomeQuery, ...back })}`;
}

interface Ended {
  readonly outcome: Outcome;
  readonly pending: PendingSignIn | undefined;
  readonly request: IncomingMessage;
}

function note(
  { trail, addressOf }: IssuersListenerOptions,
  { name }: SignInIssuer,
  { outcome, pending, request }: Ended,
): void {
  const from = { address: addressOf(request), request: idOf(request) };
  const { email: actor, step } = outcome.kind === 'done' ? outcome.admitted : outcome;
  const write = (action: string, isRefused = false): void =>
    trail.note({ ...from, actor, action, isRefused });
  if (step === 'signedUp') write(`signed up by ${name}`);
  if (step === 'connected') write(`connected the account to ${name}`);
  const isRefused = outcome.kind === 'refused';
  if (outcome.kind === 'done' && outcome.admitted.roles !== undefined)
    write(`was given the roles ${outcome.admitted.roles.join(', ') || 'none'} by ${name}`);
  if (pending?.connects === undefined) write(`signed in by ${name}`, isRefused);
  else if (isRefused) write(`connected the account to ${name}`, isRefused);
}

function idOf(request: IncomingMessage): string | undefined {
  return asking(request).headers['x-request-id'];
}

function answer(response: ServerResponse, value: unknown): void {
  const { status, headers, body } = jsonAnswer(200, value);
  for (const [name, text] of Object.entries(headers)) response.setHeader(name, text);
  response.writeHead(status).end(body);
}

/** A sign-in that has begun: the values to check, and its purpose. */
interface PendingSignIn extends AuthorizationRequest {
  /** The screen to return to, such as `/app/account`. */
  readonly returnTo: string;
  readonly invitation: string | undefined;
  /** The id of the account to connect the issuer to; undefined for a sign-in. */
  readonly connects: string | undefined;
}

/**
 * Stores a started sign-in in a cookie of the browser, so that only this browser can finish it and the
 * gateway stores nothing. The value is sealed, and valid for ten minutes and one issuer.
 */
interface BegunCookies {
  /** Returns the Set-Cookie field. */
  write(path: string, pending: PendingSignIn): string;
  /** Undefined if there is no cookie, or if it has expired. */
  read(path: string, cookies: string | undefined): PendingSignIn | undefined;
  /** The Set-Cookie field that removes the cookie. */
  readonly removal: string;
}

const LIFE_S = 600;

export function createBegunCookies(seal: TextSeal, isSecure: boolean): BegunCookies {
  // No other host and no page over http can set a name with this prefix (RFC 6265bis, 4.1.3.2).
  const name = isSecure ? '__Host-duogate.sign_in' : 'duogate.sign_in';
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return {
    write(path, pending) {
      const text = JSON.stringify({ ...pending, until: Date.now() + LIFE_S * 1000 });
      return `${name}=${seal.seal(new Secret(text), path)}; Max-Age=${LIFE_S}; ${attributes}`;
    },
    read(path, cookies = '') {
      const cookie = cookies
        .split(';')
        .map((each) => each.trim())
        .find((each) => each.startsWith(`${name}=`));
      const opened = cookie && seal.open(cookie.slice(name.length + 1), path);
      if (!opened) return undefined;
      const { until, ...pending } = JSON.parse(opened.reveal());
      return until > Date.now() ? pending : undefined;
    },
    removal: `${name}=; Max-Age=0; ${attributes}`,
  };
}
