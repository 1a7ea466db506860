import type { Value } from '../../contract/row.ts';
import type { OrderOperator } from '../scope/bound-tree.ts';
import { plainValue } from '../scope/untyped.ts';
import type { ExpressionType } from '../typing/expression-type.ts';
import { dateKey, dateTimeKey, timeKey } from '../values/date-time.ts';
import { compareDecimals, type DecimalValue } from '../values/decimal.ts';
import { durationOf } from '../values/duration.ts';

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
/** Values whose types only they can tell: those of different types have no order, and are not equal. */
const UNTYPED: Ordering = {
  key: (value) => plainValue(value) as Key,
  compare: (left, right) => (isNumber(left) === isNumber(right) ? compareAlike(left, right) : Number.NaN),
};

const ORDERINGS: ReadonlyMap<ExpressionType, Ordering> = new Map<ExpressionType, Ordering>([
  ['Edm.Decimal', DECIMAL],
  ['Edm.Untyped', UNTYPED],
  ['Edm.Binary', byKey(bytesOf)],
  ['Edm.Guid', byKey((text) => text.toLowerCase())],
  ['Edm.DateTimeOffset', byKey(dateTimeKey)],
  ['Edm.TimeOfDay', byKey(timeKey)],
  ['Edm.Duration', byKey(durationOf)],
]);

/** Dates where one is a literal that no value has the form of, so that its text alone does not say where it belongs. */
export const DISTANT_DATES = byKey(dateKey);

/** The order of a type's values (5.1.1.1). */
export function orderingOf(type: ExpressionType): Ordering {
  return ORDERINGS.get(type) ?? PLAIN;
}

function compareAlike(left: Key, right: Key): number {
  const isAlike = isNumber(left) || (typeof left === typeof right && typeof left !== 'object');
  return isAlike ? compareKeys(left, right) : Number.NaN;
}

function isNumber(key: Key): boolean {
  return typeof key === 'number' || typeof key === 'bigint';
}

/** Text with the order of the bytes. */
function bytesOf(text: string): string {
  return Buffer.from(text, 'base64url').toString('latin1');
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
