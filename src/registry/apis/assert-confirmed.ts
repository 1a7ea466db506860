import type { ServiceChange } from '../../contract/api-report.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import { breakingMessages } from '../../contract/service-changes.ts';

/**
 * Throws Conflict, with all changes as its details, where something is taken from clients that has not been confirmed:
 * each breaking change must be among the confirmed messages, so that nobody confirms what he has not seen.
 */
export function assertConfirmed(changes: readonly ServiceChange[], confirmed: readonly string[]): void {
  const known = new Set(confirmed);
  if (!breakingMessages(changes).every((message) => known.has(message))) throw unconfirmed(changes);
}

/** Shows what would change, for somebody to confirm what of it is breaking. */
export function unconfirmed(changes: readonly ServiceChange[]): GatewayError {
  const details = changes.map(({ kind, message }) => ({ code: 'Conflict' as const, message, target: kind }));
  const message = `This takes something away from users of the API, so nothing changes until it is confirmed (${breakingMessages(changes).length}).`;
  return new GatewayError('Conflict', message, { target: 'confirm', details });
}
