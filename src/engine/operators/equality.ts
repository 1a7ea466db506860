import { ownValue, type Row, TYPE, type Value } from '../../contract/row.ts';
import { orderingOf } from '../compile/compile.ts';
import { plainValue } from '../scope/scope.ts';
import {
  type ExpressionType,
  enumerationOf,
  isCollection,
  isFloating,
  isNumeric,
  itemType,
  type ModelType,
  propertiesOf,
  structuredOf,
  typeOfUse,
} from '../typing/expression-type.ts';
import { compareDecimals, type DecimalValue } from '../values/decimal.ts';
import { enumerationNumber } from '../values/enumeration.ts';
import { isPrimitiveName } from '../values/primitive.ts';

/** Compares two non-null values of a type. */
export type Same = (left: Value, right: Value) => boolean;

/**
 * `eq` of what is no single primitive value (5.1.1.1.1): entities are equal where they are the same entity,
 * complex values where they have the same structure and the same values, collections where each item is
 * equal to the one at its place. The items of a JSON array have an order.
 */
export function equalityOf(type: ExpressionType): Same {
  if (isCollection(type)) return sameItems(equalityOf(itemType(type)));
  const structured = structuredOf(type);
  if (structured !== undefined) return sameStructure(structured);
  const enumeration = enumerationOf(type);
  if (enumeration !== undefined) return sameBy(enumerationNumber(enumeration) as (value: Value) => Value);
  if (isFloating(type)) return sameBy(Number);
  if (isNumeric(type)) {
    return (left, right) => compareDecimals(left as DecimalValue, right as DecimalValue) === 0;
  }
  const { key } = orderingOf(type);
  return isPrimitiveName(type) && key !== undefined ? sameBy(key) : sameJson;
}

function sameBy(key: (value: Value) => Value): Same {
  return (left, right) => key(left) === key(right);
}

/** Null is equal to itself, and only to itself. */
function orBothNull(same: Same, left: Value, right: Value): boolean {
  return left === null || right === null ? left === right : same(left, right);
}

function sameItems(same: Same): Same {
  return (left, right) => {
    const [items, others] = [left as readonly Value[], right as readonly Value[]];
    return (
      items.length === others.length && items.every((item, at) => orBothNull(same, item, others[at] ?? null))
    );
  };
}

function sameStructure(type: ModelType): Same {
  const isEntity = 'key' in type && type.key.length > 0;
  const sameMembers = membersEquality(type, isEntity ? type.key : undefined);
  return isEntity
    ? sameMembers
    : (left, right) => (left as Row)[TYPE] === (right as Row)[TYPE] && sameMembers(left, right);
}

/** Types may contain themselves: what the members are equal by is found when the first two values are compared. */
function membersEquality(type: ModelType, only: readonly string[] | undefined): Same {
  let found: ReadonlyMap<string, Same> | undefined;
  return (left, right) => {
    found ??= new Map(
      [...propertiesOf(type)].map(([name, property]) => [name, equalityOf(typeOfUse(property))]),
    );
    const [one, other] = [left as Row, right as Row];
    const names = only ?? new Set([...found.keys(), ...Object.keys(one), ...Object.keys(other)]);
    return [...names].every((name) =>
      orBothNull(found?.get(name) ?? sameJson, ownValue(one, name), ownValue(other, name)),
    );
  };
}

/** Values that have no type of the model: numbers by what they amount to, all else by its form. */
function sameJson(left: Value, right: Value): boolean {
  const [one, other] = [plainValue(left), plainValue(right)];
  if (isDecimal(one) && isDecimal(other)) return compareDecimals(one, other) === 0;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return one === other;
  if (Array.isArray(one) || Array.isArray(other)) {
    return Array.isArray(one) && Array.isArray(other) && sameItems(sameJson)(one, other);
  }
  const [row, against] = [one as Row, other as Row];
  return [...new Set([...Object.keys(row), ...Object.keys(against)])].every((name) =>
    orBothNull(sameJson, ownValue(row, name), ownValue(against, name)),
  );
}

function isDecimal(value: Value): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}
