import type { GatewayResponse } from '../contract/exchange.ts';
import type { GatewayError } from '../contract/gateway-error.ts';

export function jsonResponse(status: number, value: unknown): GatewayResponse {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
    body: `${JSON.stringify(value, null, 2)}\n`,
  };
}

/** An error for routes without a protocol of their own, in OData's format (JSON Format, 21.1). */
export function plainError({ status, code, message, headers }: GatewayError): GatewayResponse {
  const fields = {
    'content-type': 'application/json',
    'content-language': 'en',
    'cache-control': 'no-store',
  };
  return { status, headers: { ...fields, ...headers }, body: JSON.stringify({ error: { code, message } }) };
}
