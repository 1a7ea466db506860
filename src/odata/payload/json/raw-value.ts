import { doubleValue } from '../../../contract/exact-number.ts';
import { plainDigits } from '../../../contract/plain-digits.ts';
import type { Row, Value } from '../../../contract/row.ts';
import type { TypeUse, ValueType } from '../../../model/edm.ts';

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

function rawText({ name }: ValueType, value: Value): string {
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

/** A geography value, which is GeoJSON (RFC 7946), as well-known text with WGS 84 (ABNF, fullCollectionLiteral and others). */
function geographyText(value: Value): string {
  return `SRID=4326;${shapeText(value as Row)}`;
}

function shapeText({ type, coordinates, geometries }: Row): string {
  const name = String(type);
  if (name === 'GeometryCollection') {
    return `Collection(${((geometries ?? []) as readonly Row[]).map(shapeText).join(',')})`;
  }
  const parts = coordinates ?? [];
  return `${name}${name === 'MultiPoint' ? multiPointText(parts) : coordinatesText(parts)}`;
}

/** The numbers of one position, separated by blanks, or the parts of a shape in parentheses. */
function coordinatesText(value: Value): string {
  const parts = value as readonly Value[];
  if (!Array.isArray(parts[0])) return `(${positionText(value)})`;
  const isLine = !Array.isArray((parts[0] as readonly Value[])[0]);
  return `(${parts.map(isLine ? positionText : coordinatesText).join(',')})`;
}

/** Each of several points stands in parentheses of its own. */
function multiPointText(value: Value): string {
  return `(${(value as readonly Value[]).map(coordinatesText).join(',')})`;
}

function positionText(value: Value): string {
  return (value as readonly Value[]).join(' ');
}
