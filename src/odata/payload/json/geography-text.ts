import type { Row, Value } from '../../../contract/row.ts';

/** A geography value, which is GeoJSON (RFC 7946), as well-known text with WGS 84 (ABNF, fullCollectionLiteral and others). */
export function geographyText(value: Value): string {
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
