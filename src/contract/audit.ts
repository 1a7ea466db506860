import type { GatewayRequest } from './exchange.ts';

/** An action that administrators can see later. Contains no secrets. */
export interface AuditedAct {
  /** Words that follow the actor's name, such as `signed in` or `created an API key`. */
  readonly action: string;
  /** The object of the action: the name of an API or of a key, or the e-mail address of another account. */
  readonly subject?: string | undefined;
  /** Whether the action was rejected. */
  readonly isRefused?: boolean;
}

/** Records an action of the sender of a request. Returns at once and never throws. */
export type Audit = (act: AuditedAct, request: GatewayRequest) => void;
