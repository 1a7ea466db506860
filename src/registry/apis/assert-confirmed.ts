import type { ServiceChange } from '../../contract/api-report.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import { breakingMessages, messagesToConfirm } from '../../contract/service-changes.ts';

/**
 * Throws Conflict, with all changes as its details, if something is taken from clients or, with `needsGrants`, given to
 * roles that has not been confirmed: each message must be confirmed, so that an administrator has seen all of them.
 */
export function assertConfirmed(
  changes: readonly ServiceChange[],
  confirmed: readonly string[],
  needsGrants: boolean,
): void {
  const known = new Set(confirmed);
  if (!messagesToConfirm(changes, needsGrants).every((message) => known.has(message)))
    throw unconfirmed(changes, needsGrants);
}

/** Shows what would change, so that it can be confirmed. */
export function unconfirmed(changes: readonly ServiceChange[], needsGrants: boolean): GatewayError {
  const details = changes.map(({ kind, message }) => ({ code: 'Conflict' as const, message, target: kind }));
  const does = breakingMessages(changes).length > 0 ? 'takes something away from' : 'gives more rights to';
  const number = messagesToConfirm(changes, needsGrants).length;
  const message = `This ${does} users of the API, so nothing changes until it is confirmed (${number}).`;
  return new GatewayError('Conflict', message, { target: 'confirm', details });
}
