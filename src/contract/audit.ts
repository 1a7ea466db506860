import type { GatewayRequest } from './exchange.ts';

/** Something that was done, as administrators are shown it later. Nothing of it is a secret. */
export interface AuditedAct {
  /** In words that follow on who did it, such as `signed in` or `created an API key`. */
  readonly action: string;
  /** What it was done to: the name of an API or of a key, the e-mail address of another account. */
  readonly subject?: string | undefined;
  /** Whether it was tried and refused. */
  readonly isRefused?: boolean;
}

/** Takes note of what the sender of a request has done. It comes back at once and never fails. */
export type Audit = (act: AuditedAct, request: GatewayRequest) => void;
