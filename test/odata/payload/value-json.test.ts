import { describe, expect, it } from 'vitest';
import type { Value } from '../../../src/contract/row.ts';
import { rawValue, type ValueShape } from '../../../src/odata/payload/json/property-value.ts';
import { writeProperty } from './at-once.ts';
import { FULL, MINIMAL, NONE } from './shapes.ts';
import { entityTypeNamed, ZOO } from './zoo.ts';

function use(name: string) {
  const property = entityTypeNamed('Animal').structuralProperties.get(name);
  if (property === undefined) throw new Error(`An animal has no ${name}`);
  return property;
}

describe('a property (JSON Format, 11)', () => {
  it.each<[string, Value, Partial<ValueShape>, string]>([
    ['Name', 'Tom', {}, '{"@odata.context":"~","value":"Tom"}'],
    ['Name', 'Tom', { version: '4.01' }, '{"@context":"~","value":"Tom"}'],
    ['Name', 'Tom', { format: NONE }, '{"value":"Tom"}'],
    ['Chip', 2n ** 60n, {}, '{"@odata.context":"~","value":1152921504606846976}'],
    ['Chip', 7, { format: { ...MINIMAL, ieee754Compatible: true } }, '{"@odata.context":"~","value":"7"}'],
    ['Mood', 'calm', {}, '{"@odata.context":"~","value":"calm"}'],
    ['Tags', [], {}, '{"@odata.context":"~","value":[]}'],
    ['Home', { City: 'B', Rent: '1.10' }, {}, '{"@odata.context":"~","City":"B","Rent":1.10}'],
    [
      'Home',
      { City: 'B' },
      { format: FULL },
      '{"@odata.context":"~","@odata.type":"#Zoo.Address","City":"B"}',
    ],
    ['Name', 'Tom', { format: FULL }, '{"@odata.context":"~","value":"Tom"}'],
    ['Chip', 7, { format: FULL }, '{"@odata.context":"~","@odata.type":"#Int64","value":7}'],
    ['Chip', 7, { format: FULL, version: '4.01' }, '{"@context":"~","@type":"Int64","value":7}'],
    ['Mood', 'calm', { format: FULL }, '{"@odata.context":"~","@odata.type":"#Zoo.Mood","value":"calm"}'],
    ['Height', 1.5, { format: FULL }, '{"@odata.context":"~","value":1.5}'],
    ['Height', Number.NaN, { format: FULL }, '{"@odata.context":"~","@odata.type":"#Double","value":"NaN"}'],
    ['Tags', [], { format: FULL }, '{"@odata.context":"~","@odata.type":"#Collection(String)","value":[]}'],
    ['Homes', [{ City: 'B' }], {}, '{"@odata.context":"~","value":[{"City":"B"}]}'],
  ])('%s: %s', (name, value, more, json) => {
    const shape = {
      model: ZOO,
      use: use(name),
      contextUrl: '~',
      format: MINIMAL,
      version: '4.0',
      ...more,
    } as const;
    expect(writeProperty(shape, value)).toBe(json);
  });

  it('may be a collection of which this is a part', () => {
    const shape = { model: ZOO, use: use('Tags'), contextUrl: '~', format: MINIMAL, version: '4.0' } as const;
    expect(writeProperty(shape, ['a'], { count: 2, nextLink: 'more' })).toBe(
      '{"@odata.context":"~","@odata.count":2,"value":["a"],"@odata.nextLink":"more"}',
    );
  });
});

describe('a raw value (Part 1, 11.2.4.1)', () => {
  it.each<[string, Value, string]>([
    ['Name', 'Tom & Jerry', 'Tom & Jerry'],
    ['Tame', false, 'false'],
    ['Chip', 2n ** 60n, '1152921504606846976'],
    ['Weight', 1e-7, '0.0000001'],
    ['Height', Number.NEGATIVE_INFINITY, '-INF'],
    ['Mood', 'calm', 'calm'],
    ['Place', { type: 'Point', coordinates: [142.1, 64.1] }, 'SRID=4326;Point(142.1 64.1)'],
  ])('%s: %s', (name, value, body) => {
    expect(rawValue(use(name), value)).toStrictEqual({ contentType: 'text/plain', body });
  });

  it('has the bytes of a binary one, and the media type that the model says', () => {
    expect(rawValue(use('Sound'), '-_8=')).toStrictEqual({
      contentType: 'application/octet-stream',
      body: Buffer.from([0xfb, 0xff]),
    });
    expect(rawValue(use('Name'), '<p>', 'text/html')).toStrictEqual({
      contentType: 'text/html',
      body: '<p>',
    });
  });
});

describe('a raw value of a geography type (ABNF, fullPointLiteral and the like)', () => {
  it.each([
    ['Point', [1, 2, 3], 'Point(1 2 3)'],
    [
      'LineString',
      [
        [1, 2],
        [3, 4],
      ],
      'LineString(1 2,3 4)',
    ],
    [
      'Polygon',
      [
        [
          [1, 2],
          [3, 4],
          [1, 2],
        ],
      ],
      'Polygon((1 2,3 4,1 2))',
    ],
    [
      'MultiPoint',
      [
        [1, 2],
        [3, 4],
      ],
      'MultiPoint((1 2),(3 4))',
    ],
    [
      'MultiLineString',
      [
        [
          [1, 2],
          [3, 4],
        ],
      ],
      'MultiLineString((1 2,3 4))',
    ],
    [
      'MultiPolygon',
      [
        [
          [
            [1, 2],
            [3, 4],
            [1, 2],
          ],
        ],
      ],
      'MultiPolygon(((1 2,3 4,1 2)))',
    ],
  ])('%s', (type, coordinates, text) => {
    expect(rawValue(use('Place'), { type, coordinates })).toStrictEqual({
      contentType: 'text/plain',
      body: `SRID=4326;${text}`,
    });
  });

  it('may hold others', () => {
    const geometries = [{ type: 'Point', coordinates: [1, 2] }];
    expect(rawValue(use('Place'), { type: 'GeometryCollection', geometries }).body).toBe(
      'SRID=4326;Collection(Point(1 2))',
    );
  });
});
