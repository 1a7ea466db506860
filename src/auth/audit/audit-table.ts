/** The table of what was done, in the words of better-auth's migrations. */
export const auditSchema = {
  auditEvent: {
    fields: {
      at: { type: 'date', required: true, index: true },
      actor: { type: 'string', required: false },
      action: { type: 'string', required: true },
      subject: { type: 'string', required: false },
      refused: { type: 'boolean', required: true },
      address: { type: 'string', required: false },
      request: { type: 'string', required: false },
    },
  },
} as const;

export const AUDIT_EVENTS = 'auditEvent';

export interface StoredEvent {
  readonly at: Date;
  readonly actor: string | null;
  readonly action: string;
  readonly subject: string | null;
  readonly refused: boolean;
  readonly address: string | null;
  readonly request: string | null;
}

/** What was done, as it is told. */
export interface AuditEvent {
  /** ISO 8601. */
  readonly at: string;
  /** The e-mail address of the account, `command line` for an operator; null where nobody is known. */
  readonly actor: string | null;
  readonly action: string;
  readonly subject: string | null;
  /** It was tried, and not done. */
  readonly refused: boolean;
  /** Where the request came from. */
  readonly address: string | null;
  /** Names the request in the log. */
  readonly request: string | null;
}

export function auditEvent({
  at,
  actor,
  action,
  subject,
  refused,
  address,
  request,
}: StoredEvent): AuditEvent {
  return { at: at.toISOString(), actor, action, subject, refused, address, request };
}
