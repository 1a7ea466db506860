import { GatewayError } from '../../../contract/gateway-error.ts';
import { untypedValue, type Value } from '../../../contract/row.ts';
import type { ValueType } from '../../../model/edm.ts';

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

const TEXT: ValueType = { kind: 'primitive', name: 'Edm.String' };

/** The type that stands for a type in a version of the protocol: 4.0 does not know Edm.Untyped (CSDL 4.01, 4.2). */
export function typeIn(version: ODataVersion, type: ValueType): ValueType {
  return version === '4.0' && type.name === 'Edm.Untyped' ? TEXT : type;
}

/**
 * A value of Edm.Untyped, which is not null, as a text: JSON, but that a text which could not be taken for JSON
 * stands as it is. Identifiers, which are texts where an API may give the object in their place, can so be
 * compared with others.
 */
export function untypedText(value: Value): string {
  return typeof value === 'string' && parsed(value, JSON.parse) === undefined
    ? value
    : JSON.stringify(untypedValue(value));
}

/** What a text stands for: see {@link untypedText}. */
export function untypedOfText(text: string, parse: JsonParser): unknown {
  return parsed(text, parse) ?? text;
}

/** Throws for what is no JSON. */
type JsonParser = (text: string) => unknown;

/** The value of a JSON text; undefined for what is no JSON, and for null, which is no text either. */
function parsed(text: string, parse: JsonParser): unknown {
  try {
    return parse(text) ?? undefined;
  } catch {
    return undefined;
  }
}

/** What starts the names of control information in the version's payloads (JSON Format, 4.5). */
export function controlPrefix(version: ODataVersion): '@' | '@odata.' {
  return version === '4.01' ? '@' : '@odata.';
}
