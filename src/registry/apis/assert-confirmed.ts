import type { ServiceChange } from '../../contract/api-report.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import { breakingMessages, messagesToConfirm } from '../../contract/service-changes.ts';

/**
 * Throws Conflict, with all changes in its details, if a breaking change or, with `needsGrants`, a new
 * permission is not confirmed. Each message must be confirmed, so that an administrator has seen all of them.
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

/** The error with the changes to confirm. */
export function unconfirmed(changes: readonly ServiceChange[], needsGrants: boolean): GatewayError {
  const details = changes.map(({ kind, message }) => ({ code: 'Conflict' as const, message, target: kind }));
  const does = breakingMessages(changes).length > 0 ? 'takes something away from' : 'gives more rights to';
  const number = messagesToConfirm(changes, needsGrants).length;
  const message = `This ${does} users of the API, so nothing changes until it is confirmed (${number}).`;
  return new GatewayError('Conflict', message, { target: 'confirm', details });
}
