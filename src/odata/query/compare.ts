import type { Value } from '../../contract/entity-source.ts';
import type { OrderOperator } from './bound-tree.ts';
import { dateTimeKey, timeKey } from './date-time.ts';
import { compareDecimals, type DecimalValue } from './decimal.ts';
import { durationOf } from './duration.ts';
import type { ExpressionType } from './expression-type.ts';

/** What JavaScript's own operators order as OData does: strings by code unit, false before true. */
export type Key = string | number | bigint | boolean;

/** How the values of a type are compared. */
export interface Ordering {
  /** Turns a value into one that `compare` understands; undefined where values are keys already. */
  readonly key: ((value: Value) => Key) | undefined;
  /** Negative, zero or positive; NaN where the two have no order. */
  readonly compare: (left: Key, right: Key) => number;
}

const PLAIN: Ordering = { key: undefined, compare: compareKeys };
const DECIMAL: Ordering = {
  key: undefined,
  compare: (left, right) => compareDecimals(left as DecimalValue, right as DecimalValue),
};
const BY_TEXT: ReadonlyMap<ExpressionType, Ordering> = new Map([
  ['Edm.Guid', byKey((text) => text.toLowerCase())],
  ['Edm.DateTimeOffset', byKey(dateTimeKey)],
  ['Edm.TimeOfDay', byKey(timeKey)],
  ['Edm.Duration', byKey(durationOf)],
]);

/** The order of a primitive type's values (5.1.1.1). */
export function orderingOf(type: ExpressionType): Ordering {
  return type === 'Edm.Decimal' ? DECIMAL : (BY_TEXT.get(type) ?? PLAIN);
}

export function isPlain(ordering: Ordering): boolean {
  return ordering === PLAIN;
}

function byKey(key: (text: string) => Key): Ordering {
  return { key: (value) => key(String(value)), compare: compareKeys };
}

export function compareKeys(left: Key, right: Key): number {
  if (left < right) {
    return -1;
  }
  return left > right ? 1 : left === right ? 0 : Number.NaN;
}

/** What an operator says to the outcome of a comparison. NaN is equal to nothing, itself included. */
export function verdict(operator: OrderOperator, outcome: number): boolean {
  switch (operator) {
    case 'eq':
      return outcome === 0;
    case 'ne':
      return outcome !== 0;
    case 'gt':
      return outcome > 0;
    case 'ge':
      return outcome >= 0;
    case 'lt':
      return outcome < 0;
    case 'le':
      return outcome <= 0;
  }
}
