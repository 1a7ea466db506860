import type { Value } from '../../contract/row.ts';
import type { Evaluate } from '../scope/bound-tree.ts';
import { compilePolygon, distance, length } from '../values/geography.ts';
import { type CallSite, type Signature, signature } from './signature.ts';

const POINT = 'Edm.GeographyPoint';

/** Geo functions (5.1.1.11), in metres on the sphere. A value that is not the shape it should be gives null. */
export const GEO_FUNCTIONS: readonly (readonly [string, readonly Signature[]])[] = [
  ['geo.distance', [signature([POINT, POINT], 'Edm.Double', distance)]],
  ['geo.length', [signature(['Edm.GeographyLineString'], 'Edm.Double', length)]],
  [
    'geo.intersects',
    [{ parameters: [POINT, 'Edm.GeographyPolygon'], result: 'Edm.Boolean', prepare: prepareIntersects }],
  ],
];

/** A constant polygon is compiled once. */
function prepareIntersects({ arguments: [, polygon] }: CallSite): Evaluate {
  if (polygon?.kind !== 'constant') {
    return (point: Value, value: Value) => compilePolygon(value)?.(point) ?? null;
  }
  const contains = compilePolygon(polygon.value);
  return (point: Value) => contains?.(point) ?? null;
}
