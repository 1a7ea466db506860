import { geoArea, geoContains, geoDistance, geoLength } from 'd3-geo';
import type { Row, Value } from '../../contract/row.ts';
import type { OpaqueTypeName } from '../../model/type-use.ts';

/** Longitude and latitude in degrees. */
type Position = [number, number];

/** A value's coordinates; undefined where it is no such shape, as the upstream may have given anything. */
type Read<Shape> = (value: Value) => Shape | undefined;

/** The mean radius of the earth in metres: geography is computed on the sphere. */
const EARTH_RADIUS = 6_371_008.8;

/** The metres between two points (5.1.1.11.1). */
export function distance(left: Value, right: Value): number | null {
  const from = readPoint(left);
  const to = readPoint(right);
  return from === undefined || to === undefined ? null : geoDistance(from, to) * EARTH_RADIUS;
}

/** The length of a line in metres (5.1.1.11.3). */
export function length(value: Value): number | null {
  const coordinates = readLine(value);
  return coordinates === undefined ? null : geoLength({ type: 'LineString', coordinates }) * EARTH_RADIUS;
}

/** Tests whether a point is in a polygon or on its border; null for other values (5.1.1.11.2). */
export type Contains = (point: Value) => boolean | null;

/** Compiles a polygon with an outer ring and holes. Undefined for other values. */
export function compilePolygon(polygon: Value): Contains | undefined {
  const rings = readPolygon(polygon);
  const [outer, ...holes] = rings?.map(compileRing) ?? [];
  if (outer === undefined) return undefined;
  return (value) => {
    const point = readPoint(value);
    if (point === undefined) return null;
    return outer(point) !== 'outside' && !holes.some((hole) => hole(point) === 'inside');
  };
}

type Location = 'inside' | 'border' | 'outside';

/** A ring encloses the smaller part of the earth, whichever way it is drawn. */
function compileRing(ring: Position[]): (point: Position) => Location {
  const border = { type: 'LineString' as const, coordinates: ring };
  const drawn = { type: 'Polygon' as const, coordinates: [ring] };
  const area =
    geoArea(drawn) > 2 * Math.PI ? { type: 'Polygon' as const, coordinates: [ring.toReversed()] } : drawn;
  return (point) => {
    if (geoContains(border, point)) return 'border';
    return geoContains(area, point) ? 'inside' : 'outside';
  };
}

const readPoint: Read<Position> = ofShape('Point', readPosition);
const readLine: Read<Position[]> = ofShape('LineString', listOf(readPosition));
const readPolygon: Read<Position[][]> = ofShape('Polygon', listOf(listOf(readPosition)));

/** A GeoJSON object of one type (RFC 7946, 3.1). */
function ofShape<Shape>(type: string, read: Read<Shape>): Read<Shape> {
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const shape = value as Row;
    return shape['type'] === type ? read(shape['coordinates'] ?? null) : undefined;
  };
}

function listOf<Item>(read: Read<Item>): Read<Item[]> {
  return (value) => {
    if (!Array.isArray(value)) return undefined;
    const items = value.map(read).filter((item) => item !== undefined);
    return items.length === value.length ? items : undefined;
  };
}

function readPosition(value: Value): Position | undefined {
  if (!Array.isArray(value)) return undefined;
  const [longitude, latitude] = value.map(readCoordinate);
  return longitude === undefined || latitude === undefined ? undefined : [longitude, latitude];
}

/** A number with more digits than a double has comes as an object. */
function readCoordinate(value: unknown): number | undefined {
  const number = typeof value === 'number' || value instanceof Number ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

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
  const json = data
    .replaceAll(/[^(),]+/g, (position) => JSON.stringify(position.split(' ').map(Number)))
    .replaceAll('(', '[')
    .replaceAll(')', ']');
  const list = json.includes('null') ? undefined : (JSON.parse(json) as Nested);
  if (shape === undefined || list === undefined || Number(srid) !== WGS84) return undefined;
  const [type, coordinates] = shape;
  return { type: `Edm.Geography${type}` as OpaqueTypeName, value: { type, coordinates: coordinates(list) } };
}
