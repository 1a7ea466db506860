import type { z } from 'zod';
import { type GatewayRequest, type GatewayResponse, jsonAnswer } from '../../contract/exchange.ts';
import type { GatewayError } from '../../contract/gateway-error.ts';
import { parseJsonObject } from '../../contract/json-body.ts';
import { pickFields } from './account-requests.ts';

/** Not parsed as a URL: a target such as `//` would be one without a host. */
export function queryOf({ target }: Pick<GatewayRequest, 'target'>): URLSearchParams {
  const start = target.indexOf('?');
  return new URLSearchParams(start === -1 ? '' : target.slice(start + 1));
}

/** Parses and validates the JSON body of a request. */
export function readFields<Fields extends z.ZodObject>(
  fields: Fields,
  { headers, body }: Pick<GatewayRequest, 'headers' | 'body'>,
): z.output<Fields> {
  return pickFields(fields, parseJsonObject(headers['content-type'], body ?? new Uint8Array()));
}

export function writeAccountError(error: GatewayError): GatewayResponse {
  return jsonAnswer(error.status, { code: error.code, message: error.message }, error.headers);
}
