import type { ServiceChange } from '../../contract/api-report.ts';
import { GatewayError } from '../../contract/gateway-error.ts';

/**
 * Throws Conflict, with all changes as its details, where something is taken from clients that has not been confirmed:
 * each breaking change must be among the confirmed messages, so that nobody confirms what he has not seen.
 */
export function assertConfirmed(changes: readonly ServiceChange[], confirmed: readonly string[]): void {
  const known = new Set(confirmed);
  const breaking = changes.filter(({ kind }) => kind === 'breaking');
  if (breaking.every(({ message }) => known.has(message))) return;
  const details = changes.map(({ kind, message }) => ({ code: 'Conflict' as const, message, target: kind }));
  const message = `This takes something away from users of the API, so nothing changes until it is confirmed (${breaking.length}).`;
  throw new GatewayError('Conflict', message, { target: 'confirm', details });
}
