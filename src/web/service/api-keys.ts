import type { ApiKey, WrittenScope } from '../../contract/accounts.ts';
import { postJson, requestJson } from './request.ts';
import { authUrl } from './session.ts';

export type { ApiKey, WrittenScope } from '../../contract/accounts.ts';

export interface NewApiKey {
  readonly name: string;
  /** Undefined where it is good until it is revoked. */
  readonly expiresInDays: number | undefined;
  /** Undefined where it may do all that its user may do. */
  readonly scope: WrittenScope | undefined;
}

/** The keys of the user, as they are known to the pages that show them. */
export const API_KEYS = ['api-keys'];

export async function readApiKeys(): Promise<readonly ApiKey[]> {
  const { keys } = await requestJson<{ readonly keys: readonly ApiKey[] }>(authUrl('keys'));
  return keys;
}

/** The key itself is told this once. */
export async function createApiKey(key: NewApiKey): Promise<string> {
  return (await postJson<{ readonly key: string }>(authUrl('keys'), key)).key;
}

export function revokeApiKey(id: string) {
  return requestJson(authUrl(`keys/${id}`), { method: 'DELETE' });
}
