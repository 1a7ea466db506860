import { errors, jwtVerify } from 'jose';
import { z } from 'zod';
import { type GatewayRequest, type GatewayResponse, NO_CONTENT, pathOf } from '../../contract/exchange.ts';
import { GatewayError, methodNotAllowed, nothingHere } from '../../contract/gateway-error.ts';
import type { Log } from '../../contract/log.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import {
  type AccountsStore,
  accountsUnavailable,
  orUnavailable,
  PASSWORD_WAY,
  type StoredUser,
} from '../database/accounts-store.ts';
import type { AccountMail } from '../mail/account-mail.ts';
import { verifyPassword } from '../passwords/password-hash.ts';
import { assertHardToGuess } from '../passwords/password-judge.ts';
import type { Authenticator } from '../providers/authenticator.ts';
import { readFields } from '../requests/account-answers.ts';
import { EMAIL, GIVEN_PASSWORD, must, PASSWORD } from '../requests/account-requests.ts';
import { type AddressOf, networkOf } from '../requests/client-address.ts';
import type { RateLimits } from '../requests/rate-limits.ts';

interface RecoveryHandlerOptions {
  readonly accounts: Accounts;
  readonly store: AccountsStore;
  readonly mail: AccountMail;
  readonly limits: Pick<RateLimits, 'countRequest' | 'countMail' | 'admitMail' | 'count' | 'forgive'>;
  readonly addressOf: AddressOf;
  readonly authenticator: Pick<Authenticator, 'forget'>;
  readonly trail: Pick<AuditTrail, 'note'>;
  readonly log: Log;
}

/**
 * Serves the mailed links: `POST forgot-password` requests one, `POST reset-password` sets the password, and
 * `POST confirm` confirms the address of a new account.
 */
export function createRecoveryHandler(options: RecoveryHandlerOptions) {
  return async (request: GatewayRequest): Promise<GatewayResponse> => {
    const serve = ROUTES.get(pathOf(request.target));
    if (serve === undefined) throw nothingHere();
    if (request.method !== 'POST') throw methodNotAllowed('POST');
    await options.limits.countRequest(addressOf(options, request));
    return serve(options, request);
  };
}

type Serve = (options: RecoveryHandlerOptions, request: GatewayRequest) => Promise<GatewayResponse>;

const TOKEN = must<string>(
  'the text of a link that was mailed',
  (value) => typeof value === 'string' && value.length <= 2_000,
);
const FORGOTTEN = z.object({ email: EMAIL });
const RESET = z.object({ token: TOKEN, password: PASSWORD });
const CONFIRMATION = z.object({ token: TOKEN, password: GIVEN_PASSWORD });

const ROUTES: ReadonlyMap<string, Serve> = new Map<string, Serve>([
  ['/forgot-password', forgotPassword],
  ['/reset-password', resetPassword],
  ['/confirm', confirm],
]);

/** Responds before it looks up the account, so that the response does not reveal whether there is one. */
async function forgotPassword(
  options: RecoveryHandlerOptions,
  request: GatewayRequest,
): Promise<GatewayResponse> {
  const { email } = readFields(FORGOTTEN, request);
  const address = addressOf(options, request);
  await options.limits.countMail(address);
  note(options, request, email, 'asked for a new password');
  mailReset(options, email, address).catch((err: unknown) =>
    options.log.error({ err, id: request.id }, 'a link for a new password could not be made'),
  );
  return { ...NO_CONTENT, status: 202 };
}

async function mailReset(
  { accounts, store, mail, limits }: RecoveryHandlerOptions,
  email: string,
  address: string,
): Promise<void> {
  const user = await store.findOne<StoredUser>('user', { email: email.toLowerCase() });
  if (user === undefined || user.disabled || !(await limits.admitMail(address, email))) return;
  const passwords = await store.count('account', { userId: user.id, providerId: PASSWORD_WAY });
  if (passwords === 0) mail.noPassword(user);
  else await accounts.api.requestPasswordReset({ body: { email: user.email } });
}

/** Also confirms the address, because the link was mailed to it. */
async function resetPassword(
  options: RecoveryHandlerOptions,
  request: GatewayRequest,
): Promise<GatewayResponse> {
  const { accounts, store, authenticator } = options;
  const { token, password } = readFields(RESET, request);
  const user = await userOfReset(options, token);
  await assertHardToGuess(password, user, networkOf(addressOf(options, request)));
  await accounts.api.resetPassword({ body: { token, newPassword: password } }).catch(throwLinkError);
  // The change has ended all sessions; a cached one must not create new credentials.
  authenticator.forget();
  // Otherwise other links could still set another password.
  await store.remove('verification', { value: user.id });
  if (!user.emailVerified) {
    await dropAccess(store, user);
    await store.update('user', { id: user.id }, { emailVerified: true });
  }
  note(options, request, user.email, 'chose a new password by mail');
  return NO_CONTENT;
}

async function userOfReset({ accounts, store }: RecoveryHandlerOptions, token: string): Promise<StoredUser> {
  const { internalAdapter } = await accounts.$context;
  const found = await orUnavailable(() => internalAdapter.findVerificationValue(`reset-password:${token}`));
  if (!found || found.expiresAt.getTime() <= Date.now()) throw staleLink();
  const user = await store.findOne<StoredUser>('user', { id: found.value });
  if (user === undefined || user.disabled) throw staleLink();
  return user;
}

/**
 * Removes the API keys, upstream keys and issuers of an account whose address was not confirmed before:
 * its creator may not be the owner of the address.
 */
async function dropAccess(store: AccountsStore, { id: userId }: StoredUser): Promise<void> {
  for (const model of ['apiKey', 'upstreamKey']) await store.remove(model, { userId });
  const ways = await store.findAll<{ readonly providerId: string }>('account', { userId });
  for (const { providerId } of ways) {
    if (providerId !== PASSWORD_WAY) await store.remove('account', { userId, providerId });
  }
}

/**
 * Requires the password, too: an owner of an address must not confirm an account that someone else created
 * with it.
 */
async function confirm(options: RecoveryHandlerOptions, request: GatewayRequest): Promise<GatewayResponse> {
  const { accounts, limits } = options;
  const { token, password } = readFields(CONFIRMATION, request);
  const email = await emailOf(options, token);
  const address = addressOf(options, request);
  await limits.count('password', address, email);
  if (!(await isPassword(options, email, password))) {
    note(options, request, email, 'confirmed the address', true);
    throw new GatewayError('BadRequest', 'The password is not the one that you signed up with.', {
      target: 'password',
    });
  }
  await accounts.api.verifyEmail({ query: { token: token } }).catch(throwLinkError);
  await limits.forgive('password', address, email);
  note(options, request, email, 'confirmed the address');
  return NO_CONTENT;
}

/** The address in the token of a link. */
async function emailOf({ accounts }: RecoveryHandlerOptions, token: string): Promise<string> {
  const { secret } = await accounts.$context;
  try {
    const { payload } = await jwtVerify(token, new TextEncoder().encode(secret), { algorithms: ['HS256'] });
    if (typeof payload['email'] === 'string') return payload['email'];
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error;
  }
  throw staleLink();
}

async function isPassword(
  { accounts, store }: RecoveryHandlerOptions,
  email: string,
  password: string,
): Promise<boolean> {
  const user = await store.findOne<StoredUser>('user', { email: email.toLowerCase() });
  const { internalAdapter } = await accounts.$context;
  const ways = user === undefined ? [] : await orUnavailable(() => internalAdapter.findAccounts(user.id));
  const hash = ways.find(({ providerId }) => providerId === PASSWORD_WAY)?.password;
  return hash != null && verifyPassword(hash, password);
}

function throwLinkError(error: unknown): never {
  const status =
    typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : 500;
  throw typeof status === 'number' && status < 500 ? staleLink() : accountsUnavailable(error);
}

function staleLink(): GatewayError {
  return new GatewayError('BadRequest', 'The link is no longer valid: ask for another one.', {
    target: 'token',
  });
}

function addressOf({ addressOf: of }: RecoveryHandlerOptions, { remote, headers }: GatewayRequest): string {
  return of({ socket: { remoteAddress: remote }, headers });
}

function note(
  options: RecoveryHandlerOptions,
  request: GatewayRequest,
  actor: string,
  action: string,
  isRefused = false,
): void {
  options.trail.note({ action, isRefused, actor, address: addressOf(options, request), request: request.id });
}
