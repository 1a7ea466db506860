import type { Value } from '../../contract/row.ts';
import type { OpaqueTypeName } from '../../model/type-use.ts';

interface Geography {
  readonly type: OpaqueTypeName;
  /** In GeoJSON, as the upstream's values are. */
  readonly value: Value;
}

type Nested = readonly (number | Nested)[];

const FORM = /^SRID=(\d+);([a-z]+)(\(.*\))$/is;
/** WGS 84: the one coordinate reference system of GeoJSON (RFC 7946, 4). */
const WGS84 = 4326;

const SHAPES: ReadonlyMap<string, readonly [name: string, coordinates: (list: Nested) => Nested]> = new Map([
  ['point', ['Point', ([position]: Nested) => position as Nested]],
  ['linestring', ['LineString', (list: Nested) => list]],
  ['polygon', ['Polygon', (list: Nested) => list]],
  ['multipoint', ['MultiPoint', (list: Nested) => list.map((item) => (item as Nested)[0] as Nested)]],
  ['multilinestring', ['MultiLineString', (list: Nested) => list]],
  ['multipolygon', ['MultiPolygon', (list: Nested) => list]],
]);

/**
 * The value of a geography literal, such as `SRID=4326;Point(142.1 64.1)`, whose form the parser has
 * checked. Undefined for other reference systems, for collections, and where a coordinate is not finite.
 */
export function parseGeography(text: string): Geography | undefined {
  const [, srid, name = '', data = ''] = FORM.exec(text) ?? [];
  const shape = SHAPES.get(name.toLowerCase());
  const list = parseLists(data);
  if (shape === undefined || list === undefined || Number(srid) !== WGS84) return undefined;
  const [type, coordinates] = shape;
  return { type: `Edm.Geography${type}` as OpaqueTypeName, value: { type, coordinates: coordinates(list) } };
}

/** `((1 2,3 4))` as `[[[1,2],[3,4]]]`. */
function parseLists(data: string): Nested | undefined {
  const json = data
    .replaceAll(/[^(),]+/g, (position) => JSON.stringify(position.split(' ').map(Number)))
    .replaceAll('(', '[')
    .replaceAll(')', ']');
  return json.includes('null') ? undefined : (JSON.parse(json) as Nested);
}
