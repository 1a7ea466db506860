/** What was done, as it is told. */
export interface AuditEvent {
  /** ISO 8601. */
  readonly at: string;
  /** The e-mail address of the account, `command line` for an operator; null where nobody is known. */
  readonly actor: string | null;
  readonly action: string;
  readonly subject: string | null;
  /** Whether it was tried and refused. */
  readonly refused: boolean;
  /** Where the request came from. */
  readonly address: string | null;
  /** Names the request in the log. */
  readonly request: string | null;
}
