import type { Invitation, UserDetails, UserListing, UserState } from '../../contract/accounts.ts';
import { postJson, requestJson, sendJson } from './request.ts';
import { authUrl } from './session.ts';

export type { Invitation, User, UserDetails, UserListing, UserState } from '../../contract/accounts.ts';

export interface UserQuery {
  readonly search: string;
  /** Empty for all states. */
  readonly state: UserState | '';
}

export function readUsers(query: UserQuery, after: string, signal: AbortSignal): Promise<UserListing> {
  const parameters = new URLSearchParams({ ...query, after });
  return requestJson(authUrl(`users?${parameters}`), { signal });
}

export function readUser(id: string, signal: AbortSignal): Promise<UserDetails> {
  return requestJson(userUrl(id), { signal });
}

export interface UserChange {
  readonly roles?: readonly string[];
  readonly enabled?: boolean;
}

export function changeUser(id: string, change: UserChange): Promise<unknown> {
  return sendJson('PATCH', userUrl(id), change);
}

export function removeUser(id: string): Promise<unknown> {
  return requestJson(userUrl(id), { method: 'DELETE' });
}

export function signOutUser(id: string): Promise<unknown> {
  return requestJson(`${userUrl(id)}/sessions`, { method: 'DELETE' });
}

/** Returns the new password, which cannot be read again later. */
export async function resetPassword(id: string): Promise<string> {
  const { password } = await postJson<{ readonly password: string }>(`${userUrl(id)}/password`, {});
  return password;
}

interface NewUser {
  readonly name: string;
  readonly email: string;
  readonly roles: readonly string[];
}

/** Returns the password of the account, which cannot be read again later. */
export async function makeUser(user: NewUser): Promise<string> {
  const { password } = await postJson<{ readonly password: string }>(authUrl('users'), user);
  return password;
}

export async function readInvitations(signal: AbortSignal): Promise<readonly Invitation[]> {
  const url = authUrl('invitations');
  return (await requestJson<{ readonly invitations: readonly Invitation[] }>(url, { signal })).invitations;
}

export interface NewInvitation {
  readonly email: string;
  readonly roles: readonly string[];
  readonly days: number;
}

/** Returns the sign-up URL, which cannot be read again later. */
export async function invite(invitation: NewInvitation): Promise<string> {
  const { url } = await postJson<{ readonly url: string }>(authUrl('invitations'), invitation);
  return url;
}

export function withdrawInvitation(id: string): Promise<unknown> {
  return requestJson(authUrl(`invitations/${id}`), { method: 'DELETE' });
}

function userUrl(id: string): string {
  return authUrl(`users/${id}`);
}
