import type { Invitation, UserDetails, UserListing, UserState } from '../../contract/accounts.ts';
import { type JsonAnswer, postJson, requestJson, sendJson } from './request.ts';
import { authUrl } from './session.ts';

export type { Invitation, User, UserDetails, UserListing, UserState } from '../../contract/accounts.ts';

export interface UserQuery {
  readonly search: string;
  /** Empty for all of them. */
  readonly state: UserState | '';
}

export async function readUsers(query: UserQuery, after: string, signal: AbortSignal): Promise<UserListing> {
  const parameters = new URLSearchParams({ ...query, after });
  return (await requestJson(authUrl(`users?${parameters}`), { signal })).body as UserListing;
}

export async function readUser(id: string, signal: AbortSignal): Promise<UserDetails> {
  return (await requestJson(userUrl(id), { signal })).body as UserDetails;
}

export interface UserChange {
  readonly roles?: readonly string[];
  readonly enabled?: boolean;
}

export function changeUser(id: string, change: UserChange): Promise<JsonAnswer> {
  return sendJson('PATCH', userUrl(id), change);
}

export function removeUser(id: string): Promise<JsonAnswer> {
  return requestJson(userUrl(id), { method: 'DELETE' });
}

export function signOutUser(id: string): Promise<JsonAnswer> {
  return requestJson(`${userUrl(id)}/sessions`, { method: 'DELETE' });
}

/** The new password is told this once. */
export async function resetPassword(id: string): Promise<string> {
  const { body } = await postJson(`${userUrl(id)}/password`, {});
  return (body as { readonly password: string }).password;
}

interface NewUser {
  readonly name: string;
  readonly email: string;
  readonly roles: readonly string[];
}

/** The password of the account is told this once. */
export async function makeUser(user: NewUser): Promise<string> {
  const { body } = await postJson(authUrl('users'), user);
  return (body as { readonly password: string }).password;
}

export async function readInvitations(signal: AbortSignal): Promise<readonly Invitation[]> {
  const { body } = await requestJson(authUrl('invitations'), { signal });
  return (body as { readonly invitations: readonly Invitation[] }).invitations;
}

export interface NewInvitation {
  readonly email: string;
  readonly roles: readonly string[];
  readonly days: number;
}

/** The address at which to sign up is told this once. */
export async function invite(invitation: NewInvitation): Promise<string> {
  const { body } = await postJson(authUrl('invitations'), invitation);
  return (body as { readonly url: string }).url;
}

export function withdrawInvitation(id: string): Promise<JsonAnswer> {
  return requestJson(authUrl(`invitations/${id}`), { method: 'DELETE' });
}

function userUrl(id: string): string {
  return authUrl(`users/${id}`);
}
