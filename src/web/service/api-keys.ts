import type { ApiKey, WrittenScope } from '../../contract/accounts.ts';
import { postJson, requestJson } from './request.ts';
import { authUrl } from './session.ts';

export type { ApiKey, WrittenScope } from '../../contract/accounts.ts';

export interface NewApiKey {
  readonly name: string;
  /** Undefined for no expiry. */
  readonly expiresInDays: number | undefined;
  /** Undefined for all permissions of the user. */
  readonly scope: WrittenScope | undefined;
}

/** The query key of the user's API keys. */
export const API_KEYS = ['api-keys'];

export async function readApiKeys(): Promise<readonly ApiKey[]> {
  const { keys } = await requestJson<{ readonly keys: readonly ApiKey[] }>(authUrl('keys'));
  return keys;
}

/** Returns the key, which cannot be read again later. */
export async function createApiKey(key: NewApiKey): Promise<string> {
  return (await postJson<{ readonly key: string }>(authUrl('keys'), key)).key;
}

export function revokeApiKey(id: string) {
  return requestJson(authUrl(`keys/${id}`), { method: 'DELETE' });
}
