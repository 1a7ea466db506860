import { GatewayError } from '../../contract/gateway-error.ts';
import type { AccountsPlace } from './accounts-database.ts';

/**
 * Says which database cannot be opened, and why, where the system or the database has said so; any other error, which
 * is a fault of ours, comes back as it is. The place is shown without its credentials.
 */
export function unopenedDatabase(place: AccountsPlace, cause: unknown): unknown {
  if (!isTold(cause)) return cause;
  const message = `The accounts' database ${shownPlace(place)} cannot be opened: ${reasonOf(cause)}`;
  return new GatewayError('AccountsUnavailable', message, { cause });
}

/** Where a name has several addresses, each attempt to connect has failed for a reason of its own. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}

function isTold(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    error instanceof AggregateError || 'code' in error || isTold(error.cause) || DRIVER.test(error.message)
  );
}

/** What the PostgreSQL driver says has no code. */
const DRIVER = /timeout|terminated/i;

function shownPlace(place: AccountsPlace): string {
  if (place.kind === 'sqlite') return place.path;
  const { host, pathname } = new URL(place.url);
  return `postgres://${host}${pathname}`;
}
