import type { Value } from '../../contract/row.ts';
import { isA, type PrimitiveTypeName, type TypeUse } from '../../model/edm.ts';
import {
  type BoundExpression,
  type BoundList,
  type BoundObject,
  badRequest,
  call,
  constant,
  type Evaluate,
  plainValue,
  quote,
  type Scope,
} from '../scope/scope.ts';
import {
  collectionOf,
  describeDeclared,
  type ExpressionType,
  enumerationOf,
  isCollection,
  isFloating,
  isInteger,
  isNumeric,
  isTypeControl,
  isUntyped,
  itemType,
  type ModelType,
  mayBeNamed,
  memberOfTypeControl,
  qualifiedName,
  structuredOf,
  structuredType,
  typeName,
  typeOfUse,
  widerType,
} from '../typing/expression-type.ts';
import { dateOf, dateTimeParts } from '../values/date-time.ts';
import { type DecimalValue, roundDecimal } from '../values/decimal.ts';
import { memberNames, parseEnumeration } from '../values/enumeration.ts';
import { parsePrimitive } from '../values/primitive.ts';

/** The types that a string literal may represent (OData 4.01 Part 1, 13.2.1, items 9a and 9b). */
const LITERAL_TYPES: ReadonlySet<ExpressionType> = new Set<ExpressionType>([
  'Edm.Date',
  'Edm.DateTimeOffset',
  'Edm.Duration',
  'Edm.Guid',
  'Edm.TimeOfDay',
]);

/**
 * Reads a string literal as a value of the type that is expected in its place; leaves everything else
 * alone. A string that is no such value is a BadRequest.
 */
export function castLiteral(
  expression: BoundExpression,
  type: ExpressionType,
  scope: Scope,
): BoundExpression {
  const found = readLiteral(expression, type);
  if (found === undefined) {
    const text = expression.kind === 'constant' ? String(expression.value) : '';
    throw badRequest(scope, expression.position, `expected ${describeType(type)}, found ${quote(text)}`);
  }
  return found;
}

/** The type, with its members where it is an enumeration. */
function describeType(type: ExpressionType): string {
  const enumeration = enumerationOf(type);
  return enumeration === undefined
    ? typeName(type)
    : `a member of ${typeName(type)} (${memberNames(enumeration)})`;
}

/** Casts a literal as {@link castLiteral} does, with undefined for a string that is no value of the type. */
export function readLiteral(expression: BoundExpression, type: ExpressionType): BoundExpression | undefined {
  if (expression.kind !== 'constant' || expression.type !== 'Edm.String') {
    return expression;
  }
  const enumeration = enumerationOf(type);
  if (enumeration === undefined && !isLiteralType(type)) {
    return expression;
  }
  const text = String(expression.value);
  const value =
    enumeration === undefined
      ? parsePrimitive(type as PrimitiveTypeName, text)
      : parseEnumeration(enumeration, text);
  return value === undefined ? undefined : constant(value, type, expression.position);
}

function isLiteralType(type: ExpressionType): type is PrimitiveTypeName {
  return LITERAL_TYPES.has(type);
}

/** Two operands and the type they share. */
interface Unified {
  readonly left: BoundExpression;
  readonly right: BoundExpression;
  readonly type: ExpressionType;
}

/** Brings two operands to one type (5.1.1.18), or gives undefined where they have none in common. */
export function unify(left: BoundExpression, right: BoundExpression, scope: Scope): Unified | undefined {
  const first = atMidnight(castLiteral(left, right.type, scope), right.type);
  const second = atMidnight(castLiteral(right, left.type, scope), left.type);
  const type = commonType(first.type, second.type);
  return type === undefined ? undefined : { left: promote(first, type), right: promote(second, type), type };
}

/** A date is compared with a point in time as its midnight in UTC is, which the standard leaves open. */
function atMidnight(expression: BoundExpression, other: ExpressionType): BoundExpression {
  if (expression.type !== 'Edm.Date' || other !== 'Edm.DateTimeOffset') return expression;
  return call('cast', other, expression.position, [expression], convertTo(other, expression.type));
}

/** The common type, if any. The null literal belongs to every type. */
export function commonType(left: ExpressionType, right: ExpressionType): ExpressionType | undefined {
  if (left === right || right === 'null') {
    return left;
  }
  if (left === 'null') {
    return right;
  }
  if (isCollection(left) || isCollection(right)) {
    const items =
      isCollection(left) && isCollection(right) ? commonType(itemType(left), itemType(right)) : undefined;
    return items && collectionOf(items);
  }
  if (isUntyped(left) || isUntyped(right)) {
    return 'Edm.Untyped';
  }
  return isNumeric(left) && isNumeric(right) ? widerType(left, right) : undefined;
}

/** Int64 and Decimal may hold what is not a JavaScript number: Double and Single need one. */
export function promote(expression: BoundExpression, type: ExpressionType): BoundExpression {
  if (!isFloating(type) || (expression.type !== 'Edm.Int64' && expression.type !== 'Edm.Decimal')) {
    return expression;
  }
  return expression.kind === 'constant'
    ? constant(toNumber(expression.value), type, expression.position)
    : {
        kind: 'call',
        name: 'promote',
        type,
        position: expression.position,
        arguments: [expression],
        evaluate: toNumber,
      };
}

function toNumber(value: Value): number {
  return Number(value);
}

/** The conversion of `cast` (5.1.1.10.1): null where a value has no counterpart in the type. */
export function convertTo(type: PrimitiveTypeName, from: ExpressionType): Evaluate {
  if (type === from) {
    return (value: Value) => value;
  }
  if (from === 'Edm.Untyped') {
    return (value: Value) => convertUntyped(type, value);
  }
  if (type === 'Edm.String') {
    return (value: Value) => writeText(value);
  }
  if (from === 'Edm.String') {
    return (text: string) => parsePrimitive(type, text) ?? null;
  }
  if (isNumeric(type) && isNumeric(from)) {
    return numericConversion(type);
  }
  return TEMPORAL.get(`${typeName(from)} ${type}`) ?? (() => null);
}

/** Converts an untyped value by its own type. */
function convertUntyped(type: PrimitiveTypeName, value: Value): Value {
  const plain = plainValue(value);
  const from = TYPES_OF.get(typeof plain);
  return from === undefined ? null : (convertTo(type, from) as (from: Value) => Value)(plain);
}

const TYPES_OF: ReadonlyMap<string, PrimitiveTypeName> = new Map<string, PrimitiveTypeName>([
  ['string', 'Edm.String'],
  ['boolean', 'Edm.Boolean'],
  ['number', 'Edm.Decimal'],
  ['bigint', 'Edm.Int64'],
]);

const TEMPORAL: ReadonlyMap<string, Evaluate> = new Map<string, Evaluate>([
  ['Edm.DateTimeOffset Edm.Date', dateOf],
  ['Edm.DateTimeOffset Edm.TimeOfDay', (text: string) => dateTimeParts(text)?.time ?? null],
  ['Edm.Date Edm.DateTimeOffset', (text: string) => `${text}T00:00:00Z`],
]);

/** Writes a value in the form of a literal without quotes and prefixes. */
function writeText(value: Value): string {
  switch (value) {
    case Number.POSITIVE_INFINITY:
      return 'INF';
    case Number.NEGATIVE_INFINITY:
      return '-INF';
    default:
      return String(value);
  }
}

function numericConversion(type: PrimitiveTypeName): Evaluate {
  if (isFloating(type)) {
    return (value: DecimalValue) => (type === 'Edm.Single' ? Math.fround(Number(value)) : Number(value));
  }
  return (value: DecimalValue) => parsePrimitive(type, exactText(value, isInteger(type))) ?? null;
}

/** The digits of a number, without those behind the point where the type has none. */
function exactText(value: DecimalValue, whole: boolean): string {
  const found = whole ? roundDecimal(value, Number(value) < 0 ? 'ceiling' : 'floor') : value;
  return typeof found === 'number' && Number.isInteger(found) ? String(BigInt(found)) : String(found);
}

/**
 * Reads the JSON of a URL as a value of the type that is expected in its place, and string literals as
 * {@link castLiteral} does; leaves everything else alone. JSON that is no such value is a BadRequest.
 */
export function readStructure(
  expression: BoundExpression,
  type: ExpressionType,
  scope: Scope,
): BoundExpression {
  if (expression.kind === 'list') return isCollection(type) ? readItems(expression, type, scope) : expression;
  if (expression.kind !== 'object') return castLiteral(expression, type, scope);
  const target = structuredOf(type);
  return target === undefined ? expression : readObject(expression, target, scope);
}

function readItems(list: BoundList, type: ExpressionType, scope: Scope): BoundExpression {
  const items = list.items.map((item) => readStructure(item, itemType(type), scope));
  const found = items.reduce(
    (common: ExpressionType, item) => commonType(common, item.type) ?? common,
    'null',
  );
  return { ...list, type: collectionOf(found), items };
}

/** Properties that are left out are null; there are no others but those of an open type. */
function readObject(object: BoundObject, expected: ModelType, scope: Scope): BoundExpression {
  const type = namedType(object, expected, scope);
  assertNamedTypes(object, type, scope);
  const { structuralProperties: properties, open } = type;
  const given = object.members.filter(({ name }) => !name.includes('@'));
  const unknown = given.find(({ name }) => !properties.has(name));
  if (unknown !== undefined && !open) {
    const { name, value } = unknown;
    throw badRequest(
      scope,
      value.position,
      `expected properties of ${qualifiedName(type)}, found ${quote(name)}`,
    );
  }
  const declared = [...properties.values()].map((property) => {
    const member = given.findLast(({ name }) => name === property.name)?.value;
    const value = member ?? constant(null, 'null', object.position);
    return { name: property.name, value: readMember(value, property, scope) };
  });
  const others = given.filter(({ name }) => !properties.has(name));
  const derived = type === expected ? {} : { derived: type.name };
  return { ...object, type: expected, members: [...declared, ...others], ...derived };
}

function namedType(object: BoundObject, expected: ModelType, scope: Scope): ModelType {
  const member = object.members.find(({ name }) => isTypeControl(name))?.value;
  if (member === undefined) return expected;
  const name = member.kind === 'constant' ? String(member.value) : '';
  const type = structuredType(scope.model, name.slice(name.lastIndexOf('#') + 1));
  if (type !== undefined && isA(type, expected)) return type;
  const wanted = `${qualifiedName(expected)} or a type derived from it`;
  throw badRequest(scope, member.position, `expected ${wanted}, found ${quote(name)}`);
}

/** Throws if control information contradicts the declared types of members (JSON Format, 4.6.3). */
function assertNamedTypes({ members }: BoundObject, type: ModelType, scope: Scope): void {
  for (const { name, value } of members) {
    const declared = type.structuralProperties.get(memberOfTypeControl(name) ?? '');
    const reference = value.kind === 'constant' ? value.value : undefined;
    if (declared === undefined || mayBeNamed(declared, reference)) continue;
    throw badRequest(
      scope,
      value.position,
      `expected ${describeDeclared(declared)}, found ${quote(String(reference))}`,
    );
  }
}

function readMember(
  member: BoundExpression,
  property: Pick<TypeUse, 'type' | 'collection'>,
  scope: Scope,
): BoundExpression {
  const type = typeOfUse(property);
  const value = readStructure(member, type, scope);
  const fits =
    isUntyped(type) || (value.type === 'Edm.Untyped' ? value.kind !== 'object' : isAlike(type, value.type));
  if (!fits)
    throw badRequest(scope, member.position, `expected ${typeName(type)}, found ${typeName(member.type)}`);
  return value;
}

function isAlike(type: ExpressionType, found: ExpressionType): boolean {
  if (isCollection(type) && isCollection(found)) return isAlike(itemType(type), itemType(found));
  return commonType(type, found) !== undefined;
}

/**
 * Brings two collections to items of one type, or gives undefined where they have none in common: literals
 * in a list become values of the other's type.
 */
export function unifyCollections(
  left: BoundExpression,
  right: BoundExpression,
  scope: Scope,
): readonly [BoundExpression, BoundExpression] | undefined {
  const first = readStructure(left, right.type, scope);
  const second = readStructure(right, left.type, scope);
  const type = commonType(itemType(first.type), itemType(second.type));
  return type === undefined ? undefined : [first, second];
}
