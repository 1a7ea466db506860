import type { AuditEvent } from '../../contract/audit-event.ts';
import { requestJson } from './request.ts';
import { authUrl } from './session.ts';

export type { AuditEvent };

export interface AuditPage {
  /** Newest first. */
  readonly events: readonly AuditEvent[];
  /** The start of the next page; null on the last page. */
  readonly next: string | null;
}

/** Reads the page with that start; the first page by default. */
export function readAudit(before: string | undefined, signal: AbortSignal): Promise<AuditPage> {
  const query = before === undefined ? '' : `?before=${encodeURIComponent(before)}`;
  return requestJson(authUrl(`audit${query}`), { signal });
}
