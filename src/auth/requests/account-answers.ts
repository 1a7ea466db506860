import type { z } from 'zod';
import type { GatewayRequest, GatewayResponse } from '../../contract/exchange.ts';
import type { GatewayError } from '../../contract/gateway-error.ts';
import { parseJsonObject } from '../../contract/json-object.ts';
import { pickFields } from './account-requests.ts';

/** The path of a request below that of its part, such as `/x` of `/x?y=1`. */
export function pathOf({ target }: Pick<GatewayRequest, 'target'>): string {
  return target.split(/[?#]/, 1)[0] ?? '';
}

/** The query of a request. A target is not always a URL: `//` would be one without a host. */
export function queryOf({ target }: Pick<GatewayRequest, 'target'>): URLSearchParams {
  const start = target.indexOf('?');
  return new URLSearchParams(start === -1 ? '' : target.slice(start + 1));
}

/** The properties that are asked for of a request's JSON, checked. */
export function readFields<Fields extends z.ZodObject>(
  fields: Fields,
  { headers, body }: Pick<GatewayRequest, 'headers' | 'body'>,
): z.output<Fields> {
  return pickFields(fields, parseJsonObject(headers['content-type'], body ?? new Uint8Array()));
}

export function json(status: number, value: unknown): GatewayResponse {
  return { status, headers: ACCOUNT_HEADERS, body: JSON.stringify(value) };
}

export const NO_CONTENT: GatewayResponse = {
  status: 204,
  headers: { 'cache-control': 'no-store' },
  body: undefined,
};

const ACCOUNT_HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' };

/** An error in the shape of the accounts' own. */
export function writeAccountError(error: GatewayError): GatewayResponse {
  return {
    status: error.status,
    headers: { ...ACCOUNT_HEADERS, ...error.headers },
    body: JSON.stringify({ code: error.code, message: error.message }),
  };
}
