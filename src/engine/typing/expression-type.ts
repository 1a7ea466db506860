import type { PrimitiveTypeName } from '../../model/edm.ts';

/** The qualified name of a type, of the model or built in. */
type QualifiedName = PrimitiveTypeName | `${string}.${string}`;

/** What a single value is: `null` is the type of the literal, which fits everywhere. */
type SingleType = QualifiedName | 'null';

/** What an expression is. Edm.Untyped is what only the single value can tell. */
export type ExpressionType = SingleType | `Collection(${SingleType})`;

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

export function isUntyped(type: ExpressionType): boolean {
  return type === 'Edm.Untyped';
}

export function isGeography(type: ExpressionType): boolean {
  return type.startsWith('Edm.Geography');
}

/** The type of a collection's items. */
export function itemType(type: ExpressionType): SingleType {
  return (isCollection(type) ? type.slice('Collection('.length, -1) : type) as SingleType;
}

export function collectionOf(type: ExpressionType): ExpressionType {
  return `Collection(${itemType(type)})`;
}

/** The type that two numeric operands are promoted to. */
export function widerType(left: ExpressionType, right: ExpressionType): ExpressionType {
  return (RANK.get(left) ?? 0) < (RANK.get(right) ?? 0) ? right : left;
}
