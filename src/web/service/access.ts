import type { AccessReport, Permission, WrittenGrants } from '../../contract/api-report.ts';
import { progressHeader } from './progress.ts';
import { registryUrl } from './registry.ts';
import { postJson, requestJson } from './request.ts';

export type {
  AccessReport,
  GrantableResource,
  Permission,
  WrittenGrants,
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
