import { progressHeader } from './progress.ts';
import { registryUrl } from './registry.ts';
import { postJson, requestJson } from './request.ts';

/** What a role may be allowed to do with a resource. */
export type Right = 'View' | 'Insert' | 'Update' | 'Delete' | 'Call';

export const RIGHTS: readonly Right[] = ['View', 'Insert', 'Update', 'Delete', 'Call'];

/** What roles may do with a resource: all that they may. */
export interface ResourceGrants {
  readonly name: string;
  /** Role to what it may do. */
  readonly grants: Readonly<Record<string, readonly Right[]>>;
}

export interface GrantableResource extends ResourceGrants {
  readonly kind: 'entitySet' | 'singleton' | 'contained' | 'function' | 'action';
  /** What there are operations for. */
  readonly rights: readonly Right[];
  readonly isGrantable: boolean;
}

/** Who may do what with an API. */
export interface Access {
  readonly roles: readonly string[];
  readonly resources: readonly GrantableResource[];
  /** What might be granted where nothing is. */
  readonly proposal: readonly ResourceGrants[];
}

export async function readAccess(name: string, signal: AbortSignal): Promise<Access> {
  return (await requestJson(registryUrl(name, 'access'), { signal })).body as Access;
}

/** Writes grants to the API's overlay; while it lasts, it can be asked about by that id. */
export async function grantAccess(
  name: string,
  resources: readonly ResourceGrants[],
  progressId: string,
): Promise<Access> {
  return (await postJson(registryUrl(name, 'grant'), { resources }, progressHeader(progressId)))
    .body as Access;
}
