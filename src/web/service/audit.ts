import type { AuditEvent } from '../../contract/audit-event.ts';
import { requestJson } from './request.ts';
import { authUrl } from './session.ts';

export type { AuditEvent };

export interface AuditPage {
  /** The latest first. */
  readonly events: readonly AuditEvent[];
  /** Where the next page begins; null behind the last. */
  readonly next: string | null;
}

/** The page that begins there; the first one where that is undefined. */
export function readAudit(before: string | undefined, signal: AbortSignal): Promise<AuditPage> {
  const query = before === undefined ? '' : `?before=${encodeURIComponent(before)}`;
  return requestJson(authUrl(`audit${query}`), { signal });
}
