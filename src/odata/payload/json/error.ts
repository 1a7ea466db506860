import type { WholeResponse } from '../../../contract/exchange.ts';
import type { ErrorDetail, GatewayError } from '../../../contract/gateway-error.ts';
import { type ODataVersion, prefersPlainText, textContentType } from '../negotiation/format.ts';

/**
 * An OData error response (Part 1, 9.4; JSON Format, 21.1), or its plain message if the client prefers text.
 */
export function writeError(
  error: GatewayError,
  version: ODataVersion,
  accept: string | undefined,
): WholeResponse {
  const plain = prefersPlainText(accept);
  return {
    status: error.status,
    headers: {
      'content-type': plain ? textContentType('text/plain', undefined, accept) : 'application/json',
      'content-language': 'en',
      'cache-control': 'no-store',
      'odata-version': version,
      ...error.headers,
    },
    body: plain ? error.message : JSON.stringify({ error: errorObject(error) }),
  };
}

/** The trailer of an answer that breaks off (Part 1, 9.5): an error in JSON, in the characters that a header field may have. */
export function errorTrailer(error: GatewayError): Readonly<Record<string, string>> {
  const text = JSON.stringify({ error: errorObject(error) });
  const escaped = text.replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return { 'odata-error': escaped };
}

function errorObject(error: GatewayError): object {
  return {
    ...errorDetail(error.code, error.message, error.target),
    ...(error.details.length > 0 && { details: error.details.map(detailObject) }),
  };
}

function detailObject(detail: ErrorDetail): object {
  return errorDetail(detail.code, detail.message, detail.target);
}

function errorDetail(code: string, message: string, target: string | undefined): object {
  return { code, message, ...(target !== undefined && { target }) };
}
