import { requestJson } from './request.ts';
import { authUrl } from './session.ts';

/** Something that somebody has done. */
export interface AuditEvent {
  /** When. */
  readonly at: string;
  /** An e-mail address, or `command line`; null where nobody is known. */
  readonly actor: string | null;
  readonly action: string;
  /** What it was done to. */
  readonly subject: string | null;
  /** It was tried, and not done. */
  readonly refused: boolean;
  readonly address: string | null;
  /** Names the request in the log. */
  readonly request: string | null;
}

export interface AuditPage {
  /** The latest first. */
  readonly events: readonly AuditEvent[];
  /** Where the next page begins; null behind the last. */
  readonly next: string | null;
}

/** The page that begins there; the first one where that is undefined. */
export async function readAudit(before: string | undefined, signal: AbortSignal): Promise<AuditPage> {
  const query = before === undefined ? '' : `?before=${encodeURIComponent(before)}`;
  const { body } = await requestJson(authUrl(`audit${query}`), { signal });
  return body as AuditPage;
}
