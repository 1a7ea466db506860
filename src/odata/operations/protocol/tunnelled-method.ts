import type { GatewayRequest } from '../../../contract/exchange.ts';
import { unexpectedValue } from '../../../contract/gateway-error.ts';

/** Header fields with the intended method, for clients behind proxies that allow only GET and POST. */
const FIELDS = ['x-http-method', 'x-http-method-override'] as const;

/**
 * Only unsafe methods, so that checks by method, such as those against cross-site requests, still treat the
 * POST as a change.
 */
const METHODS: ReadonlyMap<string, string> = new Map([
  ['POST', 'POST'],
  ['PATCH', 'PATCH'],
  ['MERGE', 'PATCH'],
  ['PUT', 'PUT'],
  ['DELETE', 'DELETE'],
]);

/** Replaces POST by the method in its header, as used by clients of OData 2 and 3, SAP and SharePoint. */
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
