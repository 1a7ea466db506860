import type { Value } from '../../contract/entity-source.ts';
import type { TypeUse } from '../../model/type-use.ts';
import { plainDigits } from './plain-digits.ts';

/** What `/$value` answers with (Part 1, 11.2.4.1): neither JSON nor null. */
export interface RawValue {
  readonly contentType: string;
  readonly body: string | Uint8Array;
}

/** A primitive value as it is. `mediaType` is what the model says of a property's text or bytes. */
export function rawValue({ type }: Pick<TypeUse, 'type'>, value: Value, mediaType?: string): RawValue {
  if (type.kind === 'primitive' && type.name === 'Edm.Binary') {
    const body = Buffer.from(String(value), 'base64url');
    return { contentType: mediaType ?? 'application/octet-stream', body };
  }
  const isNumber = type.name === 'Edm.Decimal' || type.name === 'Edm.Int64';
  const body = isNumber ? plainDigits(String(value)) : String(value);
  return { contentType: mediaType ?? 'text/plain', body };
}
