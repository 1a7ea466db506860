import type { WholeResponse } from '../../contract/exchange.ts';
import type { ODataVersion } from '../payload/version.ts';

/** A 200 that carries data: private to whoever asked, and asked for again each time. */
export function success(
  version: ODataVersion,
  contentType: string,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): WholeResponse {
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

/** A 204: there is nothing to show, or it was not asked for. */
export function noContent(
  version: ODataVersion,
  headers: Readonly<Record<string, string>> = {},
): WholeResponse {
  return { status: 204, headers: { 'odata-version': version, ...headers }, body: undefined };
}
