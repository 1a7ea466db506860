import { number } from '../../../openapi/document/document-node.ts';
import { keyword, type Schema, valueNodes } from '../../../openapi/schemas/schema.ts';
import type { Bound } from '../../type-use.ts';

const LOWEST_INT32 = -(2 ** 31);
const HIGHEST_INT32 = 2 ** 31 - 1;

/** The least value that a schema allows. */
export function lowerBound(schema: Schema): Bound | undefined {
  return bound(schema, 'minimum', 'exclusiveMinimum', Math.max);
}

/** The greatest value that a schema allows. */
export function upperBound(schema: Schema): Bound | undefined {
  return bound(schema, 'maximum', 'exclusiveMaximum', Math.min);
}

/** The tighter of the two limits. In OpenAPI 3.0 the second one is a boolean that qualifies the first. */
function bound(
  schema: Schema,
  inclusive: string,
  exclusive: string,
  tighter: (a: number, b: number) => number,
): Bound | undefined {
  const including = number(keyword(schema, inclusive));
  const other = keyword(schema, exclusive);
  if (including !== undefined && other?.value === true) return { value: including, exclusive: true };
  const excluding = number(other);
  if (excluding === undefined)
    return including === undefined ? undefined : { value: including, exclusive: false };
  if (including === undefined) return { value: excluding, exclusive: true };
  const value = tighter(including, excluding);
  return { value, exclusive: value === excluding };
}

/**
 * Whether the document keeps the integers within 32 bits: by the values that it enumerates, or by a greatest one.
 * A least one need not be said: what is counted and numbered goes upwards.
 */
export function isWithinInt32(schema: Schema): boolean {
  const values = valueNodes(schema).flatMap(({ value }) => (value === null ? [] : [value]));
  if (values.length > 0) return values.every((value) => typeof value === 'number' && isInt32(value));
  const lowest = lowerBound(schema);
  const highest = upperBound(schema);
  if (highest === undefined || highest.value - Number(highest.exclusive) > HIGHEST_INT32) return false;
  return lowest === undefined || lowest.value + Number(lowest.exclusive) >= LOWEST_INT32;
}

function isInt32(value: number): boolean {
  return value >= LOWEST_INT32 && value <= HIGHEST_INT32;
}
