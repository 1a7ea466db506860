import type { GatewayResponse } from '../contract/exchange.ts';
import type { GatewayError } from '../contract/gateway-error.ts';

export function json(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): GatewayResponse {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers },
    body: JSON.stringify(value),
  };
}

/** An error in the shape of OData's (OData JSON Format 4.01, 21.1). */
export function writeRegistryError({
  status,
  code,
  message,
  target,
  details,
  headers,
}: GatewayError): GatewayResponse {
  const error = { code, message, target, details: details.length === 0 ? undefined : details };
  return json(status, { error }, headers);
}
