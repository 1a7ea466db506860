import type { Cursor, Parse } from './cursor.ts';
import {
  COORDINATE_BEGINNINGS,
  callBeginnings,
  failWithin,
  REFERENCE_SYSTEM_BEGINNING,
} from './literal-beginnings.ts';

const SRID = /SRID=\d{1,5};/iy;
const SHAPE = /[a-z]+\(/iy;
const COORDINATE = /(?:[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?|NaN|-?INF)(?=[ ,)])/iy;

/** The shapes and what stands in their parentheses (ABNF, section 7, from collectionLiteral to ringLiteral). */
const SHAPES = new Map<string, Parse<void>>([
  ['point', parsePosition],
  ['linestring', parseLine],
  ['polygon', parseRings],
  ['multipoint', optional(list(group(parsePosition)))],
  ['multilinestring', optional(list(group(parseLine)))],
  ['multipolygon', optional(list(group(parseRings)))],
  ['collection', parseShapes],
  ['geometrycollection', parseShapes],
]);

const SHAPE_BEGINNINGS = callBeginnings('a geo shape', SHAPES.keys());

/** fullXxxLiteral = sridLiteral geoLiteral, for all shapes; gives the text as it was written. */
export function parseGeoShape(cursor: Cursor): string {
  const start = cursor.position;
  if (cursor.match(SRID) === undefined) failWithin(cursor, [REFERENCE_SYSTEM_BEGINNING]);
  parseShape(cursor);
  return cursor.text.slice(start, cursor.position);
}

/** geoLiteral = name OPEN data CLOSE. */
function parseShape(cursor: Cursor): void {
  const position = cursor.position;
  const name = cursor.match(SHAPE)?.slice(0, -1).toLowerCase();
  const parseData = SHAPES.get(name ?? '') ?? failWithin(cursor, SHAPE_BEGINNINGS, position);
  cursor.nest('depth', parseData);
  cursor.expect(')');
}

/** geoLiteral *( COMMA geoLiteral ). */
function parseShapes(cursor: Cursor): void {
  cursor.separated(',', parseShape);
}

/** positionLiteral 1*( COMMA positionLiteral ): a line has two ends. */
function parseLine(cursor: Cursor): void {
  parsePosition(cursor);
  cursor.expect(',');
  cursor.separated(',', parsePosition);
}

/** ringLiteral *( COMMA ringLiteral ). */
function parseRings(cursor: Cursor): void {
  cursor.separated(',', group(list(parsePosition)));
}

/** positionLiteral = doubleValue SP doubleValue [ SP doubleValue ] [ SP doubleValue ]. */
function parsePosition(cursor: Cursor): void {
  parseCoordinate(cursor);
  if (!cursor.take(' ')) cursor.fail('a space');
  parseCoordinate(cursor);
  for (let more = 0; more < 2 && cursor.take(' '); more += 1) parseCoordinate(cursor);
}

function parseCoordinate(cursor: Cursor): void {
  if (cursor.match(COORDINATE) === undefined) failWithin(cursor, COORDINATE_BEGINNINGS);
}

function group(parse: Parse<void>): Parse<void> {
  return (cursor) => {
    cursor.expect('(');
    parse(cursor);
    cursor.expect(')');
  };
}

function list(parse: Parse<void>): Parse<void> {
  return (cursor) => {
    cursor.separated(',', parse);
  };
}

function optional(parse: Parse<void>): Parse<void> {
  return (cursor) => {
    if (!cursor.at(')')) parse(cursor);
  };
}
