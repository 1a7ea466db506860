import { untypedValue } from '../../../contract/exact-number.ts';
import type { Value } from '../../../contract/row.ts';
import type { ValueType } from '../../../model/edm.ts';
import type { ODataVersion } from './version.ts';

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

/** Undefined for what is no JSON; null is none, because null is no text either. */
function parsed(text: string, parse: JsonParser): unknown {
  try {
    return parse(text) ?? undefined;
  } catch {
    return undefined;
  }
}
