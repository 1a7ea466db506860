import { doubleValue } from '../../../contract/exact-number.ts';
import { plainDigits } from '../../../contract/plain-digits.ts';
import type { Value } from '../../../contract/row.ts';
import type { TypeName, TypeUse } from '../../../model/type-use.ts';
import { geographyText } from './geography-text.ts';

/** What `/$value` answers with (Part 1, 11.2.4.1): neither JSON nor null. */
export interface RawValue {
  readonly contentType: string;
  readonly body: string | Uint8Array;
}

/** A primitive value as it is. `mediaType` is what the model says of a property's text or bytes. */
export function rawValue({ type }: Pick<TypeUse, 'type'>, value: Value, mediaType?: string): RawValue {
  if (type.name !== 'Edm.Binary')
    return { contentType: mediaType ?? 'text/plain', body: rawText(type, value) };
  const body = Buffer.from(String(value), 'base64url');
  return { contentType: mediaType ?? 'application/octet-stream', body };
}

function rawText({ name }: TypeName, value: Value): string {
  switch (name) {
    case 'Edm.Decimal':
    case 'Edm.Int64':
      return plainDigits(String(value));
    case 'Edm.Double':
    case 'Edm.Single':
      return String(doubleValue(value));
    default:
      return name.startsWith('Edm.Geography') ? geographyText(value) : String(value);
  }
}
