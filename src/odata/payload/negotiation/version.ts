import { GatewayError } from '../../../contract/gateway-error.ts';

/** The versions of the protocol that answers speak. */
export type ODataVersion = '4.0' | '4.01';

/**
 * The version that the answer to a request speaks: 4.0 unless OData-MaxVersion asks for 4.01 or more
 * (Part 1, 8.2.7). A request below 4.0, or a body of a version we do not read, is a bad request.
 */
export function responseVersion(headers: Readonly<Record<string, string | undefined>>): ODataVersion {
  const version = headers['odata-version'];
  if (version !== undefined && version !== '4.0' && version !== '4.01') {
    throw versionError('OData-Version', '4.0 or 4.01', version);
  }
  const maxVersion = headers['odata-maxversion'];
  if (maxVersion === undefined) return '4.0';
  if (!/^\d+\.\d+$/.test(maxVersion) || Number(maxVersion) < 4) {
    throw versionError('OData-MaxVersion', '4.0 or greater', maxVersion);
  }
  return Number(maxVersion) >= 4.01 ? '4.01' : '4.0';
}

/** The version that the body of a request is written in: the one that it says, or else that of the answer. */
export function bodyVersion(headers: Readonly<Record<string, string | undefined>>): ODataVersion {
  const version = headers['odata-version'];
  return version === '4.0' || version === '4.01' ? version : responseVersion(headers);
}

function versionError(header: string, expected: string, found: string): GatewayError {
  return new GatewayError('BadRequest', `${header}: expected ${expected}, found "${found.slice(0, 20)}".`, {
    target: header,
  });
}
