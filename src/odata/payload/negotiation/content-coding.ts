import type { GatewayRequest } from '../../../contract/exchange.ts';
import { GatewayError } from '../../../contract/gateway-error.ts';

/**
 * Checks that a body is as it is, without a content coding. A client that hears so may send it again (RFC 9110,
 * 12.5.3 and 15.5.16).
 */
export function demandNoCoding(headers: GatewayRequest['headers']): void {
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (coding === '' || coding === 'identity') return;
  throw new GatewayError('UnsupportedMediaType', 'Content-Encoding: expected none.', {
    target: 'Content-Encoding',
    headers: { 'accept-encoding': 'identity' },
  });
}
