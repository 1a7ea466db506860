import type { GatewayRequest } from '../../../contract/exchange.ts';
import { unexpectedValue } from '../../../contract/gateway-error.ts';

/** Header fields by which clients behind proxies that know no other methods name the one they mean. */
const FIELDS = ['x-http-method', 'x-http-method-override'] as const;

/**
 * A safe method is not among them: a POST stays a change for all that judge a request by its method before it comes here,
 * such as the rules against cross-site requests.
 */
const METHODS: ReadonlyMap<string, string> = new Map([
  ['POST', 'POST'],
  ['PATCH', 'PATCH'],
  ['MERGE', 'PATCH'],
  ['PUT', 'PUT'],
  ['DELETE', 'DELETE'],
]);

/** The request with the method that a POST names in its header, as clients of OData 2 and 3, SAP and SharePoint do. */
export function withTunnelledMethod<Request extends GatewayRequest>(request: Request): Request {
  if (request.method !== 'POST') return request;
  const field = FIELDS.find((name) => request.headers[name] !== undefined);
  if (field === undefined) return request;
  const written = request.headers[field] ?? '';
  const method = METHODS.get(written.toUpperCase());
  if (method === undefined) {
    throw unexpectedValue(
      field === FIELDS[0] ? 'X-HTTP-Method' : 'X-HTTP-Method-Override',
      'PATCH, MERGE, PUT or DELETE',
      JSON.stringify(written.slice(0, 20)),
    );
  }
  return { ...request, method };
}
