/** An audit event, as sent to administrators. */
export interface AuditEvent {
  /** ISO 8601. */
  readonly at: string;
  /** The e-mail address of the account, `command line` for an operator; null if unknown. */
  readonly actor: string | null;
  readonly action: string;
  readonly subject: string | null;
  /** True for a rejected action. */
  readonly refused: boolean;
  /** The address of the client. */
  readonly address: string | null;
  /** The id of the request in the log. */
  readonly request: string | null;
}
