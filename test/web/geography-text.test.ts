import { describe, expect, it } from 'vitest';
import { readGeography, writeGeography } from '../../src/web/controls/form/input-value.ts';

const SHAPES = [
  ['POINT(4.9 52.4)', { type: 'Point', coordinates: [4.9, 52.4] }],
  ['POINT(4.9 -52.4 12)', { type: 'Point', coordinates: [4.9, -52.4, 12] }],
  [
    'LINESTRING(0 0,1 1)',
    {
      type: 'LineString',
      coordinates: [
        [0, 0],
        [1, 1],
      ],
    },
  ],
  [
    'POLYGON((0 0,1 0,1 1,0 0))',
    {
      type: 'Polygon',
      coordinates: [
        [
          [0, 0],
          [1, 0],
          [1, 1],
          [0, 0],
        ],
      ],
    },
  ],
  [
    'MULTIPOINT(0 0,1 1)',
    {
      type: 'MultiPoint',
      coordinates: [
        [0, 0],
        [1, 1],
      ],
    },
  ],
  [
    'MULTILINESTRING((0 0,1 1),(2 2,3 3))',
    {
      type: 'MultiLineString',
      coordinates: [
        [
          [0, 0],
          [1, 1],
        ],
        [
          [2, 2],
          [3, 3],
        ],
      ],
    },
  ],
  [
    'MULTIPOLYGON(((0 0,1 0,0 0)))',
    {
      type: 'MultiPolygon',
      coordinates: [
        [
          [
            [0, 0],
            [1, 0],
            [0, 0],
          ],
        ],
      ],
    },
  ],
] as const;

describe('a shape as text', () => {
  it.each(SHAPES)('%s is read, and written', (text, shape) => {
    const read = readGeography(text);
    expect(read.kind === 'value' && JSON.parse(read.json)).toStrictEqual(shape);
    expect(writeGeography(shape)).toBe(text);
  });

  it.each(['srid=4326;Point ( 4.9   52.4 )', '{"type":"Point","coordinates":[4.9,52.4]}'])(
    'is read from %s',
    (text) => {
      const read = readGeography(text);
      expect(read.kind === 'value' && JSON.parse(read.json)).toStrictEqual({
        type: 'Point',
        coordinates: [4.9, 52.4],
      });
    },
  );

  it.each([
    '4.9 52.4',
    'POINT(4.9)',
    'POINT(1 2,3 4)',
    'CIRCLE(1 2)',
    'LINESTRING(1 2',
    'POLYGON(1 2,3 4)',
    '{"type":',
  ])('is none: %s', (text) => expect(readGeography(text).kind).toBe('problem'));

  it('is JSON where there is no text for it', () => {
    const value = { type: 'GeometryCollection', geometries: [] };
    expect(writeGeography(value)).toBe(JSON.stringify(value));
  });
});
