import type { AccessReport, Permission, WrittenGrants, WrittenMaxAge } from '../../contract/api-report.ts';
import { progressHeader } from './progress.ts';
import { registryUrl } from './registry.ts';
import { postJson, requestJson } from './request.ts';

export type {
  AccessReport,
  GrantableResource,
  Permission,
  WrittenGrants,
  WrittenMaxAge,
} from '../../contract/api-report.ts';

export const RIGHTS: readonly Permission[] = ['View', 'Insert', 'Update', 'Delete', 'Call'];

export function readAccess(name: string, signal: AbortSignal): Promise<AccessReport> {
  return requestJson(registryUrl(name, 'access'), { signal });
}

export function grantAccess(
  name: string,
  resources: readonly WrittenGrants[],
  progressId: string,
): Promise<AccessReport> {
  return postJson(registryUrl(name, 'grant'), { resources }, progressHeader(progressId));
}

/** Sets how long answers of the API may be used again. */
export function allowAges(
  name: string,
  maxAges: readonly WrittenMaxAge[],
  progressId: string,
): Promise<AccessReport> {
  return postJson(registryUrl(name, 'max-age'), { maxAges }, progressHeader(progressId));
}
