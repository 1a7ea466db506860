import { type InputValue, problem, readJson } from './input-value.ts';

/** The kinds of shapes by their words in text, and how deeply their positions are nested in GeoJSON. */
const SHAPES: Readonly<Record<string, readonly [type: string, depth: number]>> = {
  POINT: ['Point', 0],
  LINESTRING: ['LineString', 1],
  POLYGON: ['Polygon', 2],
  MULTIPOINT: ['MultiPoint', 1],
  MULTILINESTRING: ['MultiLineString', 2],
  MULTIPOLYGON: ['MultiPolygon', 3],
};

export const GEOGRAPHY_HINT = 'Such as POINT(4.9 52.4): first the longitude. GeoJSON will do, too.';

/** Reads a shape from well-known text or GeoJSON, which is what the service takes (JSON Format 4.01, 7.1). */
export function readGeography(text: string): InputValue {
  if (text.startsWith('{')) return readJson(text, () => true, 'GeoJSON');
  const [, word = '', rest = ''] = /^(?:SRID=\d+;)?\s*([a-z]+)\s*(\(.*\))$/is.exec(text) ?? [];
  const shape = SHAPES[word.toUpperCase()];
  const coordinates = shape && coordinatesOf(rest, shape[1]);
  if (shape === undefined || coordinates === undefined)
    return problem('Expected a shape, such as POINT(4.9 52.4).');
  return { kind: 'value', json: JSON.stringify({ type: shape[0], coordinates }) };
}

/** GeoJSON as well-known text; other values as they are. */
export function writeGeography(value: unknown): string {
  const { type, coordinates } = (value ?? {}) as { readonly type?: unknown; readonly coordinates?: unknown };
  const word = String(type).toUpperCase();
  const shape = SHAPES[word];
  if (shape === undefined || !Array.isArray(coordinates)) return JSON.stringify(value);
  const text = JSON.stringify(shape[1] === 0 ? [coordinates] : coordinates)
    .replace(/\[([^[\]]*)\]/g, (_, position: string) => position.replaceAll(',', ' '))
    .replaceAll('[', '(')
    .replaceAll(']', ')');
  return `${word}${text}`;
}

const NUMBER = String.raw`-?\d+(?:\.\d+)?(?:e[+-]?\d+)?`;
const POSITION = new RegExp(String.raw`${NUMBER}(?:\s+${NUMBER}){1,3}`, 'gi');

function coordinatesOf(text: string, depth: number): unknown {
  const json = text
    .replace(POSITION, (position) => `[${position.trim().replace(/\s+/g, ',')}]`)
    .replaceAll('(', '[')
    .replaceAll(')', ']');
  try {
    const nested: unknown = JSON.parse(json);
    if (depth === 0) return Array.isArray(nested) && nested.length === 1 ? ofDepth(nested[0], 0) : undefined;
    return ofDepth(nested, depth);
  } catch {
    return undefined;
  }
}

/** The value, if its positions are nested that deeply. */
function ofDepth(value: unknown, depth: number): unknown {
  if (!Array.isArray(value)) return undefined;
  if (depth === 0) return value.every((number) => typeof number === 'number') ? value : undefined;
  return value.every((item) => ofDepth(item, depth - 1) !== undefined) ? value : undefined;
}
