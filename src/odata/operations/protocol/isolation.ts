import type { BudgetedRequest } from '../../../contract/exchange.ts';
import { GatewayError } from '../../../contract/gateway-error.ts';

/** The Isolation header field (Part 1, 8.2.6), which 4.0 has with a prefix: what it asks for is not to be had. */
export function refuseIsolation({ headers }: Pick<BudgetedRequest, 'headers'>): void {
  if (headers['isolation'] === undefined && headers['odata-isolation'] === undefined) return;
  const message = 'Isolation: the upstream has no snapshots of its data.';
  throw new GatewayError('PreconditionFailed', message, { target: 'Isolation' });
}
