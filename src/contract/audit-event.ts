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
