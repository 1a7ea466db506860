import type { GatewayResponse } from '../../contract/exchange.ts';
import type { GatewayError } from '../../contract/gateway-error.ts';

export const ACCOUNT_HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' };

/** An error in the shape of the accounts' own. */
export function writeAccountError(error: GatewayError): GatewayResponse {
  return {
    status: error.status,
    headers: { ...ACCOUNT_HEADERS, ...error.headers },
    body: JSON.stringify({ code: error.code, message: error.message }),
  };
}
