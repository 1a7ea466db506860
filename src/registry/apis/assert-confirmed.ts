import type { ServiceChange } from '../../contract/api-report.ts';
import { GatewayError } from '../../contract/gateway-error.ts';

/**
 * Throws Conflict, with all changes as its details, where something is taken from clients that has not been confirmed:
 * each breaking change must be among the confirmed messages, so that nobody confirms what he has not seen.
 */
export function assertConfirmed(changes: readonly ServiceChange[], confirmed: readonly string[]): void {
  const known = new Set(confirmed);
  const isMeant = changes.every(({ kind, message }) => kind === 'compatible' || known.has(message));
  if (!isMeant) throw unconfirmed(changes);
}

/** Shows what would change, for somebody to confirm what of it is breaking. */
export function unconfirmed(changes: readonly ServiceChange[]): GatewayError {
  const breaking = changes.filter(({ kind }) => kind === 'breaking');
  const details = changes.map(({ kind, message }) => ({ code: 'Conflict' as const, message, target: kind }));
  const message = `This takes something away from users of the API, so nothing changes until it is confirmed (${breaking.length}).`;
  return new GatewayError('Conflict', message, { target: 'confirm', details });
}
