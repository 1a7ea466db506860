import type { PrimitiveTypeName } from '../../model/edm.ts';

/** What an expression is: `null` is the type of the literal, which fits everywhere. */
export type ExpressionType = PrimitiveTypeName | 'null' | `Collection(${PrimitiveTypeName})`;

/** From narrowest to widest: OData 4.01 Part 2, 5.1.1.18. */
const NUMERIC: readonly ExpressionType[] = [
  'Edm.SByte',
  'Edm.Byte',
  'Edm.Int16',
  'Edm.Int32',
  'Edm.Int64',
  'Edm.Decimal',
  'Edm.Single',
  'Edm.Double',
];
const RANK: ReadonlyMap<ExpressionType, number> = new Map(NUMERIC.map((type, rank) => [type, rank]));
const DECIMAL_RANK = NUMERIC.indexOf('Edm.Decimal');

export function isNumeric(type: ExpressionType): type is PrimitiveTypeName {
  return RANK.has(type);
}

export function isInteger(type: ExpressionType): boolean {
  return (RANK.get(type) ?? DECIMAL_RANK) < DECIMAL_RANK;
}

export function isFloating(type: ExpressionType): boolean {
  return type === 'Edm.Single' || type === 'Edm.Double';
}

/** Every value of the type is a JavaScript number: no bigint, no decimal string. */
export function isPlainNumber(type: ExpressionType): boolean {
  return isNumeric(type) && type !== 'Edm.Int64' && type !== 'Edm.Decimal';
}

export function isCollection(type: ExpressionType): boolean {
  return type.startsWith('Collection(');
}

/** The type that two numeric operands are promoted to. */
export function widerType(left: ExpressionType, right: ExpressionType): ExpressionType {
  return (RANK.get(left) ?? 0) < (RANK.get(right) ?? 0) ? right : left;
}
