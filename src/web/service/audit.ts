import { requestJson } from './request.ts';
import { authUrl } from './session.ts';

/** Something that somebody has done. */
export interface AuditEvent {
  /** When; no two are the same. */
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

/** A page of what was done before that moment, the latest first; an empty one is behind the last. */
export async function readAudit(
  before: string | undefined,
  signal: AbortSignal,
): Promise<readonly AuditEvent[]> {
  const query = before === undefined ? '' : `?before=${encodeURIComponent(before)}`;
  const { body } = await requestJson(authUrl(`audit${query}`), { signal });
  return (body as { readonly events: readonly AuditEvent[] }).events;
}
