import type { GatewayResponse } from '../contract/exchange.ts';
import type { ErrorCode, GatewayError } from '../contract/gateway-error.ts';

export function jsonResponse(status: number, value: unknown): GatewayResponse {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
    body: `${JSON.stringify(value, null, 2)}\n`,
  };
}

/** The error of whatever has no protocol of its own, as OData's errors are (JSON Format, 21.1). */
export function plainError({ status, code, message, headers }: GatewayError): GatewayResponse {
  return { status, headers: { ...plainErrorHeaders, ...headers }, body: plainErrorBody(code, message) };
}

export const plainErrorHeaders: Readonly<Record<string, string>> = {
  'content-type': 'application/json',
  'content-language': 'en',
  'cache-control': 'no-store',
};

export function plainErrorBody(code: ErrorCode, message: string): string {
  return JSON.stringify({ error: { code, message } });
}
