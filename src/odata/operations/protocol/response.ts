import type { BudgetedRequest, GatewayResponse, WholeResponse } from '../../../contract/exchange.ts';
import { GatewayError } from '../../../contract/gateway-error.ts';
import { writeError } from '../../payload/json/error.ts';
import { type ODataVersion, responseVersion } from '../../payload/negotiation/version.ts';

/** A 200 that carries data: private to whoever asked, and asked for again each time. */
export function success<Body extends GatewayResponse['body']>(
  version: ODataVersion,
  contentType: string,
  body: Body,
  headers: Readonly<Record<string, string>> = {},
): GatewayResponse & { readonly body: Body } {
  return { status: 200, headers: { ...dataHeaders(version, contentType), ...headers }, body };
}

/** The header fields of every answer that carries data. */
export function dataHeaders(version: ODataVersion, contentType: string): Readonly<Record<string, string>> {
  return {
    'content-type': contentType,
    'cache-control': 'private, no-cache',
    'odata-version': version,
    vary: 'accept, odata-maxversion, prefer',
  };
}

/** The fields that keep a 204 from being stored, which it else could be (RFC 9110, 15.3.5). */
const UNSTORED = { 'cache-control': 'no-store' } as const;

/** A 204: there is nothing to show, or it was not asked for. */
export function noContent(
  version: ODataVersion,
  headers: Readonly<Record<string, string>> = {},
): WholeResponse {
  return { status: 204, headers: { 'odata-version': version, ...UNSTORED, ...headers }, body: undefined };
}

/** Part 1, 9.2.2: a 405 says what is allowed. */
export function methodNotAllowed(method: string, allow: string): GatewayError {
  const message = `${method} is not allowed here; allowed: ${allow}.`;
  return new GatewayError('MethodNotAllowed', message, { headers: { allow } });
}

/** An error in the form and the version that the request with these header fields asks for. */
export function errorResponse(error: GatewayError, headers: BudgetedRequest['headers']): WholeResponse {
  return writeError(error, versionOf(headers), headers['accept']);
}

/** The version itself may be what is wrong with the request. */
function versionOf(headers: BudgetedRequest['headers']): ODataVersion {
  try {
    return responseVersion(headers);
  } catch {
    return '4.0';
  }
}

/** Whatever somebody has uploaded, a browser runs nothing of it in the name of this service. */
export const UNTRUSTED_CONTENT_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
};

/** RFC 9110, 8.3.1. */
const MEDIA_TYPE = /^[!#$&^.+\w-]+\/[!#$&^.+\w-]+(?:\s*;[\x20-\x7e]*)?$/;

/** The media type that a text is; undefined for a text that is none. */
export function mediaTypeOf(text: string | undefined): string | undefined {
  return text !== undefined && MEDIA_TYPE.test(text) ? text : undefined;
}
