import type {
  AccessReport as Access,
  WrittenGrants as ResourceGrants,
  Permission as Right,
} from '../../contract/api-report.ts';
import { progressHeader } from './progress.ts';
import { registryUrl } from './registry.ts';
import { postJson, requestJson } from './request.ts';

export type {
  AccessReport as Access,
  GrantableResource,
  Permission as Right,
  WrittenGrants as ResourceGrants,
} from '../../contract/api-report.ts';

export const RIGHTS: readonly Right[] = ['View', 'Insert', 'Update', 'Delete', 'Call'];

export function readAccess(name: string, signal: AbortSignal): Promise<Access> {
  return requestJson(registryUrl(name, 'access'), { signal });
}

/** Writes grants to the API's overlay; while it lasts, it can be asked about by that id. */
export function grantAccess(
  name: string,
  resources: readonly ResourceGrants[],
  progressId: string,
): Promise<Access> {
  return postJson(registryUrl(name, 'grant'), { resources }, progressHeader(progressId));
}
