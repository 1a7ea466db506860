import { type Api, registryUrl } from './registry.ts';
import { postJson, requestJson } from './request.ts';

/** What of an API a change has replaced. */
export type ReplacedPart = 'document' | 'overlay' | 'description' | 'serviceUrl' | 'fetchUrl';

/** A change of an API, which put an end to the state of that number. */
export interface RecordedChange {
  readonly state: number;
  readonly at: string;
  /** The e-mail address of a user. */
  readonly by: string | null;
  readonly replaced: readonly ReplacedPart[];
  readonly changes: readonly ToldChange[];
}

/** What a change is for those who use the API. */
export interface ToldChange {
  readonly kind: 'breaking' | 'compatible';
  readonly message: string;
}

export async function readHistory(name: string, signal: AbortSignal): Promise<readonly RecordedChange[]> {
  const { body } = await requestJson(registryUrl(name, 'history'), { signal });
  return (body as { readonly changes: readonly RecordedChange[] }).changes;
}

/** Brings back what there was before a change. */
export async function restoreApi(
  name: string,
  order: { readonly state: number; readonly confirm: readonly string[] },
): Promise<Api> {
  return (await postJson(registryUrl(name, 'restore'), order)).body as Api;
}
