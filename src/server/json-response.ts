import type { GatewayResponse } from '../contract/exchange.ts';
import type { GatewayError } from '../contract/gateway-error.ts';

export function jsonResponse(status: number, value: unknown): GatewayResponse {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
    body: `${JSON.stringify(value, null, 2)}\n`,
  };
}

/** The error of whatever has no protocol of its own. */
export function plainError(error: GatewayError): GatewayResponse {
  const { status, headers, body } = jsonResponse(error.status, {
    error: { code: error.code, message: error.message },
  });
  return { status, headers: { ...headers, ...error.headers }, body };
}
