import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { isEntity } from './entity.ts';
import { type Issuer, type Landing, landingQuery } from './landing.ts';
import { gatewayUrl, postJson, requestJson } from './request.ts';

/** The user of the screens. */
export type Session =
  /** A gateway without access control. */
  | { readonly kind: 'open' }
  | { readonly kind: 'anonymous' }
  | {
      readonly kind: 'user';
      readonly name: string;
      readonly email: string;
      readonly roles: readonly string[];
    };

/** The role of administrators, and that of users who sign up. */
export const ADMINISTRATOR = 'Admin';
export const USER = 'User';

export function useSession() {
  return useQuery<Session>({
    queryKey: ['session'],
    queryFn: async ({ client }) => readSession((await client.fetchQuery(landingQuery)).access),
    staleTime: 60_000,
  });
}

/** Whether the user manages accounts and reads the audit log. */
export function isAdministrator(session: Session | undefined): boolean {
  return session?.kind === 'user' && session.roles.includes(ADMINISTRATOR);
}

/** Discards all data of the previous user, and reloads what is shown. */
export function useSessionChange(): () => Promise<void> {
  const client = useQueryClient();
  return () => client.resetQueries();
}

async function readSession(access: Landing['access']): Promise<Session> {
  if (access === 'unrestricted') return { kind: 'open' };
  return sessionOf(await requestJson(authUrl('get-session')));
}

function sessionOf(body: unknown): Session {
  if (!isEntity(body) || !isEntity(body['user'])) return { kind: 'anonymous' };
  const { name, email, roles } = body['user'];
  return {
    kind: 'user',
    name: String(name),
    email: String(email),
    roles: Array.isArray(roles) ? roles.map(String) : [],
  };
}

export function signIn(email: string, password: string) {
  return postJson(authUrl('sign-in/email'), { email, password });
}

interface NewAccount {
  readonly name: string;
  readonly email: string;
  readonly password: string;
  readonly invitation: string | undefined;
}

/** Returns whether the address has to be confirmed by mail first. */
export async function signUp(account: NewAccount): Promise<{ readonly isUnconfirmed: boolean }> {
  const body = await postJson(authUrl('sign-up/email'), account);
  return { isUnconfirmed: isEntity(body) && body['confirmation'] === 'email' };
}

/** Requests a mail with a link for a new password, if the address has an account. */
export function forgotPassword(email: string) {
  return postJson(authUrl('recovery/forgot-password'), { email });
}

/** The token is that of a mailed link, like below. */
export function resetPassword(token: string, password: string) {
  return postJson(authUrl('recovery/reset-password'), { token, password });
}

/** Confirms the address of a new account. */
export function confirmAddress(token: string, password: string) {
  return postJson(authUrl('recovery/confirm'), { token, password });
}

export function signOut() {
  return postJson(authUrl('sign-out'), {});
}

/** Also ends all other sessions. */
export function changePassword(currentPassword: string, newPassword: string) {
  return postJson(authUrl('change-password'), { currentPassword, newPassword });
}

export function signOutElsewhere() {
  return postJson(authUrl('revoke-other-sessions'), {});
}

/** Removes the account with its sessions and keys. */
export function removeAccount(password: string) {
  return postJson(authUrl('delete-user'), { password });
}

export function authUrl(path: string): string {
  return gatewayUrl(`api/auth/${path}`);
}

/** The ways to sign in to an account. */
export interface WaysToSignIn {
  readonly hasPassword: boolean;
  readonly issuers: readonly (Issuer & { readonly isConnected: boolean })[];
}

export const waysQuery = queryOptions<WaysToSignIn>({
  queryKey: ['ways to sign in'],
  queryFn: () => requestJson(authUrl('issuers')),
});

/** Redirects to an issuer, which redirects back after the sign-in. */
export async function goToIssuer(
  { path }: Issuer,
  act: 'sign-in' | 'connect',
  { returnTo, invitation }: { readonly returnTo?: string; readonly invitation?: string | undefined } = {},
): Promise<void> {
  const body = await postJson(authUrl(`issuers/${path}/${act}`), { return: returnTo, invitation });
  if (!isEntity(body) || typeof body['url'] !== 'string')
    throw new Error('The service does not say where to go.');
  window.location.assign(body['url']);
}
