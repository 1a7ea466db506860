import type { IncomingMessage } from 'node:http';
import type { Principal } from '../contract/principal.ts';

/** Who has sent a request, once that is known: for its line in the log. */
const SENDERS = new WeakMap<IncomingMessage, string>();

export function noteSender(request: IncomingMessage, principal: Principal): void {
  if (principal.kind === 'user') SENDERS.set(request, principal.id);
}

/** The id of the user; undefined where nobody has been asked for, or is known. */
export function senderOf(request: IncomingMessage): string | undefined {
  return SENDERS.get(request);
}
