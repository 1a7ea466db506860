import type { Row, Value } from '../../contract/row.ts';
import { type EnumerationType, isA } from '../../model/edm.ts';
import { compileDeciding } from '../compile/compile.ts';
import { compileSearch, noteSearched, searchedTexts } from '../compile/compile-search.ts';
import {
  type BoundExpression,
  type BoundLambda,
  type BoundVariable,
  badRequest,
  bind,
  call,
  constant,
  isReadAs,
  itemOf,
  type OrderOperator,
  readAs,
  readsOf,
  type Scope,
  variableOf,
} from '../scope/scope.ts';
import type {
  BinaryExpression,
  CountSegment,
  FilterSegment,
  LambdaSegment,
  LogicalOperator,
  SearchExpression,
  UnaryExpression,
} from '../tree/query-tree.ts';
import {
  collectionOf,
  type ExpressionType,
  enumerationOf,
  isCollection,
  isEnumeration,
  isFloating,
  isGeography,
  isNumeric,
  isStructured,
  isUntyped,
  itemType,
  structuredOf,
  typeName,
  widerType,
} from '../typing/expression-type.ts';
import { enumerationNumber, hasFlags, isNamedOnce } from '../values/enumeration.ts';
import { bindArithmetic, bindNegation } from './arithmetic.ts';
import { castLiteral, commonType, promote, readStructure, unify } from './coerce.ts';
import { equalityOf } from './equality.ts';

/** `not` and `-` over a bound operand. */
export function bindUnary(node: UnaryExpression, operand: BoundExpression, scope: Scope): BoundExpression {
  const { operator, position } = node;
  if (operator === 'not') {
    return { kind: 'not', type: 'Edm.Boolean', position, operand: requireBoolean(operand, `'not'`, scope) };
  }
  if (operand.type === 'null') {
    return operand;
  }
  const negation = bindNegation(readAs(operand, 'Edm.Decimal'), scope, position);
  if (negation === undefined) {
    throw badRequest(scope, position, `'-' expects a number or a duration, found ${typeName(operand.type)}`);
  }
  return negation;
}

/** An operator, and where it stands. */
interface PlacedOperator<Name extends string> {
  readonly operator: Name;
  readonly position: number;
}

/** An operator over bound operands (5.1.1.1 and 5.1.1.2). */
export function bindBinary(
  node: BinaryExpression,
  left: BoundExpression,
  right: BoundExpression,
  scope: Scope,
): BoundExpression {
  const { operator, position } = node;
  switch (operator) {
    case 'and':
    case 'or':
      return bindLogical({ operator, position }, left, right, scope);
    case 'eq':
    case 'ne':
    case 'gt':
    case 'ge':
    case 'lt':
    case 'le':
      return bindComparison({ operator, position }, left, right, scope);
    case 'in':
      return bindIn(left, right, scope, position);
    case 'has':
      return bindHas(left, right, scope, position);
    default:
      return bindCalculation({ operator, position }, left, right, scope);
  }
}

/** Lets Boolean expressions and the null literal pass. */
export function requireBoolean(found: BoundExpression, who: string, scope: Scope): BoundExpression {
  const expression = readAs(found, 'Edm.Boolean');
  if (expression.type !== 'Edm.Boolean' && expression.type !== 'null') {
    throw badRequest(
      scope,
      expression.position,
      `${who} expects Edm.Boolean, found ${typeName(expression.type)}`,
    );
  }
  return expression;
}

function bindLogical(
  { operator, position }: PlacedOperator<LogicalOperator>,
  left: BoundExpression,
  right: BoundExpression,
  scope: Scope,
): BoundExpression {
  const first = operandsOf(requireBoolean(left, `'${operator}'`, scope), operator);
  const last = requireBoolean(right, `'${operator}'`, scope);
  return { kind: 'logical', type: 'Edm.Boolean', position, operator, operands: [...first, last] };
}

function operandsOf(expression: BoundExpression, operator: LogicalOperator): readonly BoundExpression[] {
  return expression.kind === 'logical' && expression.operator === operator
    ? expression.operands
    : [expression];
}

function bindCalculation(
  {
    operator,
    position,
  }: PlacedOperator<Exclude<BinaryExpression['operator'], LogicalOperator | OrderOperator | 'in' | 'has'>>,
  left: BoundExpression,
  right: BoundExpression,
  scope: Scope,
): BoundExpression {
  if (left.type === 'null' || right.type === 'null') {
    return constant(null, 'null', position);
  }
  const arithmetic = bindArithmetic(
    operator,
    readAs(left, untypedOperand(right.type, operator)),
    readAs(right, untypedOperand(left.type, operator)),
    scope,
    position,
  );
  if (arithmetic === undefined) {
    const found = `${typeName(left.type)} and ${typeName(right.type)}`;
    throw badRequest(
      scope,
      position,
      `'${operator}' expects numbers, or dates and durations, found ${found}`,
    );
  }
  return arithmetic;
}

/** The type of an untyped operand in arithmetic: a number, or a duration next to a date. */
function untypedOperand(other: ExpressionType, operator: string): ExpressionType {
  const isTemporal = other === 'Edm.Date' || other === 'Edm.DateTimeOffset' || other === 'Edm.Duration';
  if (isTemporal && (operator === 'add' || operator === 'sub')) return 'Edm.Duration';
  return isFloating(other) ? other : 'Edm.Decimal';
}

/** `has` (5.1.1.1.10): null where an operand is. */
function bindHas(
  left: BoundExpression,
  right: BoundExpression,
  scope: Scope,
  position: number,
): BoundExpression {
  const type = left.type === 'null' ? right.type : left.type;
  const enumeration = enumerationOf(type);
  if (enumeration === undefined) {
    throw badRequest(scope, position, `'has' expects an enumeration, found ${typeName(left.type)}`);
  }
  const flags = castLiteral(right, type, scope);
  if (commonType(left.type, flags.type) === undefined) {
    throw operandsDiffer({ operator: 'has', position }, left, flags, scope);
  }
  const operands = [memberNumber(left, enumeration), memberNumber(flags, enumeration)];
  return call('has', 'Edm.Boolean', position, operands, hasFlags);
}

/** `in` (5.1.1.1.12): one of a list, or of the items of a collection. */
function bindIn(
  operand: BoundExpression,
  right: BoundExpression,
  scope: Scope,
  position: number,
): BoundExpression {
  const left = isCollection(right.type) ? castLiteral(operand, itemType(right.type), scope) : operand;
  if (right.kind !== 'list') {
    return bindInCollection(left, readAs(right, collectionOf('Edm.Untyped')), scope, position);
  }
  if (isStructure(left) || isUntyped(left.type) || right.items.some(({ type }) => isUntyped(type))) {
    const equal = right.items.map((item) =>
      bindComparison({ operator: 'eq', position: item.position }, left, item, scope),
    );
    return logical('or', [constant(false, 'Edm.Boolean', position), ...equal], position);
  }
  const type = right.items.reduce<ExpressionType>((common, item) => {
    const shared = commonType(common, castLiteral(item, left.type, scope).type);
    if (shared === undefined || isCollection(shared)) {
      throw operandsDiffer({ operator: 'in', position: item.position }, left, item, scope);
    }
    return shared;
  }, left.type);
  assertComparable({ operator: 'in', position }, type, scope);
  const items = right.items.map((item) => promote(castLiteral(item, left.type, scope), type));
  return inList(promote(left, type), items, type, position);
}

function inList(
  operand: BoundExpression,
  items: readonly BoundExpression[],
  as: ExpressionType,
  position: number,
): BoundExpression {
  const enumeration = enumerationOf(as);
  const node = { kind: 'in', type: 'Edm.Boolean', position } as const;
  return enumeration === undefined
    ? { ...node, operand, items, as }
    : {
        ...node,
        operand: memberNumber(operand, enumeration),
        items: items.map((item) => memberNumber(item, enumeration)),
        as: 'Edm.Int64',
      };
}

function bindInCollection(
  left: BoundExpression,
  collection: BoundExpression,
  scope: Scope,
  position: number,
): BoundExpression {
  if (!isCollection(collection.type)) {
    throw badRequest(scope, collection.position, `'in' expects a list, found ${typeName(collection.type)}`);
  }
  const variable = variableOf(itemType(collection.type), position);
  const predicate = bindComparison({ operator: 'eq', position }, left, variable, scope);
  const { current } = scope;
  return {
    kind: 'lambda',
    type: 'Edm.Boolean',
    position,
    operator: 'any',
    collection,
    variable,
    predicate,
    current,
  };
}

/** `any` and `all` (5.1.1.13). The variable hides a property of the same name. */
export function bindLambda(owner: BoundExpression, segment: LambdaSegment, scope: Scope): BoundExpression {
  const { operator, position } = segment;
  const collection = requireCollection(owner, `'${operator}'`, scope, position);
  const variable = itemOf(collection, itemType(collection.type), position);
  const predicate = bindPredicate(segment, variable, scope);
  const { current } = scope;
  const lambda: BoundLambda = {
    kind: 'lambda',
    type: 'Edm.Boolean',
    position,
    operator,
    collection,
    variable,
    predicate,
    current,
  };
  const reads = collection.kind === 'property' ? scope.related.get(collection.name) : undefined;
  const deciding = reads?.uses === 1 ? compileDeciding(lambda) : undefined;
  if (reads !== undefined && deciding !== undefined) reads.deciding = deciding;
  return lambda;
}

/** `any()` asks whether there is an item. */
function bindPredicate(
  { operator, variable: name, predicate, position }: LambdaSegment,
  variable: BoundVariable,
  scope: Scope,
): BoundExpression {
  if (name === undefined || predicate === undefined) return constant(true, 'Edm.Boolean', position);
  const variables = new Map([...scope.variables, [name, variable]]);
  return requireBoolean(bind(predicate, { ...scope, variables }), `'${operator}'`, scope);
}

/** `/$count` (4.8), of the items that its `$filter` and `$search` accept. */
export function bindCount(
  owner: BoundExpression,
  { filter, search, position }: CountSegment,
  scope: Scope,
): BoundExpression {
  const collection = requireCollection(owner, `'$count'`, scope, position);
  const filtered = filter === undefined ? collection : filterItems(collection, filter, scope);
  const found = search === undefined ? filtered : searchItems(filtered, search, scope);
  return call('$count', 'Edm.Int64', position, [found], (items: readonly Value[]) => items.length);
}

/** `/$filter(…)` (5.1.1.15). */
export function bindFilter(
  owner: BoundExpression,
  { predicate, position }: FilterSegment,
  scope: Scope,
): BoundExpression {
  return filterItems(requireCollection(owner, `'$filter'`, scope, position), predicate, scope);
}

/** In the condition, a path without a root starts at the item. */
export function filterItems(
  collection: BoundExpression,
  condition: FilterSegment['predicate'],
  scope: Scope,
): BoundExpression {
  const { type, position } = collection;
  const variable = itemOf(collection, itemType(type), position);
  const bound = bind(condition, { ...scope, instance: variable, computed: new Map() });
  const predicate = requireBoolean(bound, `'$filter'`, scope);
  return {
    kind: 'filter',
    type,
    position,
    collection,
    variable,
    predicate,
    current: scope.current,
  };
}

function searchItems(collection: BoundExpression, search: SearchExpression, scope: Scope): BoundExpression {
  const type = structuredOf(itemType(collection.type));
  const reads = readsOf(collection, scope);
  if (type !== undefined && reads !== undefined) noteSearched(type, reads);
  const matches = compileSearch(search, searchedTexts(itemType(collection.type)));
  return call('$search', collection.type, collection.position, [collection], (items: readonly Row[]) =>
    items.filter(matches),
  );
}

export function requireCollection(
  owner: BoundExpression,
  who: string,
  scope: Scope,
  position: number,
): BoundExpression {
  const collection = readAs(owner, collectionOf('Edm.Untyped'));
  if (!isCollection(collection.type)) {
    throw badRequest(scope, position, `${who} expects a collection, found ${typeName(owner.type)}`);
  }
  return collection;
}

/** `eq` and its like (5.1.1.1.1 to 5.1.1.1.6). */
function bindComparison(
  placed: PlacedOperator<OrderOperator>,
  one: BoundExpression,
  other: BoundExpression,
  scope: Scope,
): BoundExpression {
  if (one.type === 'null' || other.type === 'null') {
    const known = one.type === 'null' ? other : one;
    assertOrder(placed, known, scope);
    return comparison(placed, one, other, known.type);
  }
  const left = readStructure(one, other.type, scope);
  const right = readStructure(other, one.type, scope);
  if (isStructure(left) || isStructure(right)) {
    return compareStructures(placed, left, right, scope);
  }
  if (isUntyped(left.type) !== isUntyped(right.type)) {
    return bindUntypedComparison(placed, left, right, scope);
  }
  const unified = unify(left, right, scope);
  if (unified === undefined) throw operandsDiffer(placed, left, right, scope);
  assertOrder(placed, unified.left, scope);
  assertComparable(placed, unified.type, scope);
  const enumeration = enumerationOf(unified.type);
  return enumeration === undefined
    ? comparison(placed, unified.left, unified.right, unified.type)
    : compareMembers(placed, unified.left, unified.right, enumeration);
}

/** 5.1.1.1.3 to 5.1.1.1.6: what has no order has none to null, either. */
function assertOrder(
  { operator, position }: PlacedOperator<OrderOperator>,
  operand: BoundExpression,
  scope: Scope,
): void {
  if (operator === 'eq' || operator === 'ne') return;
  const { type } = operand;
  if (!isStructure(operand) && type !== 'Edm.Binary' && !isGeography(type)) return;
  throw badRequest(
    scope,
    position,
    `'${operator}' expects values that have an order, found ${typeName(type)}`,
  );
}

function comparison(
  { operator, position }: PlacedOperator<OrderOperator>,
  left: BoundExpression,
  right: BoundExpression,
  as: ExpressionType,
): BoundExpression {
  return { kind: 'comparison', type: 'Edm.Boolean', position, operator, left, right, as };
}

/** Compares enumerations by number, or by name if names are unique. */
function compareMembers(
  placed: PlacedOperator<OrderOperator>,
  left: BoundExpression,
  right: BoundExpression,
  type: EnumerationType,
): BoundExpression {
  const { operator } = placed;
  const isByName = (operator === 'eq' || operator === 'ne') && isNamedOnce(type);
  return isByName
    ? comparison(placed, left, right, 'Edm.String')
    : comparison(placed, memberNumber(left, type), memberNumber(right, type), 'Edm.Int64');
}

/** The number by which an enumeration's value is compared and sorted. */
export function memberNumber(value: BoundExpression, type: EnumerationType): BoundExpression {
  return call('number', 'Edm.Int64', value.position, [value], enumerationNumber(type));
}

/**
 * Compares an untyped value with a typed one: a value of another type is unequal and unordered, and must not
 * be taken for null.
 */
function bindUntypedComparison(
  placed: PlacedOperator<OrderOperator>,
  left: BoundExpression,
  right: BoundExpression,
  scope: Scope,
): BoundExpression {
  const { operator, position } = placed;
  const [untyped, other] = isUntyped(left.type) ? [left, right] : [right, left];
  assertOrder(placed, other, scope);
  assertComparable(placed, other.type, scope);
  const type = untypedOperandOf(other.type);
  const compared = bindComparison(placed, typedOperand(left, type), typedOperand(right, type), scope);
  if (other.kind === 'constant' || (operator !== 'eq' && operator !== 'ne')) {
    return compared;
  }
  const isNull = comparison({ operator: 'eq', position }, untyped, constant(null, 'null', position), 'null');
  const fits = logical('or', [isNull, isReadAs(untyped, type)], position);
  const equal = logical('and', [fits, operator === 'eq' ? compared : negated(compared, position)], position);
  return operator === 'eq' ? equal : negated(equal, position);
}

/**
 * The type of an untyped operand next to a value of the type: any number next to a number, a member name next
 * to an enumeration, else the same type.
 */
function untypedOperandOf(type: ExpressionType): ExpressionType {
  if (isNumeric(type)) return widerType('Edm.Decimal', type);
  return isEnumeration(type) ? 'Edm.String' : type;
}

function typedOperand(operand: BoundExpression, type: ExpressionType): BoundExpression {
  const isMember = isEnumeration(operand.type);
  return isMember ? { ...operand, type } : readAs(operand, type);
}

function negated(operand: BoundExpression, position: number): BoundExpression {
  return { kind: 'not', type: 'Edm.Boolean', position, operand };
}

function logical(
  operator: LogicalOperator,
  operands: readonly BoundExpression[],
  position: number,
): BoundExpression {
  return { kind: 'logical', type: 'Edm.Boolean', position, operator, operands };
}

/** 5.1.1.1: binary and geography can only be compared to null. */
function assertComparable(
  { operator, position }: PlacedOperator<string>,
  type: ExpressionType,
  scope: Scope,
): void {
  if (type === 'Edm.Binary' || isGeography(type)) {
    throw badRequest(
      scope,
      position,
      `'${operator}' compares ${typeName(type)} only to null, found ${typeName(type)}`,
    );
  }
}

/** Whether it is a collection, an entity or a complex value: those are equal or not, and have no order. */
function isStructure({ kind, type }: BoundExpression): boolean {
  return kind === 'object' || isCollection(type) || isStructured(type);
}

/** `eq` and `ne` of structures (5.1.1.1.1 and 5.1.1.1.2); all other operators are a BadRequest. */
function compareStructures(
  placed: PlacedOperator<OrderOperator>,
  left: BoundExpression,
  right: BoundExpression,
  scope: Scope,
): BoundExpression {
  const { operator, position } = placed;
  if (operator !== 'eq' && operator !== 'ne') {
    const found = isStructure(left) ? left.type : right.type;
    throw badRequest(
      scope,
      position,
      `'${operator}' expects values that have an order, found ${typeName(found)}`,
    );
  }
  const as = sharedType(left.type, right.type);
  if (as === undefined) throw operandsDiffer(placed, left, right, scope);
  for (const operand of [left, right]) noteKey(operand, as, scope);
  const same = equalityOf(as);
  return { kind: 'comparison', type: 'Edm.Boolean', position, operator, left, right, as, same };
}

/** The type that both are compared as; undefined where no value of the one can be one of the other. */
function sharedType(left: ExpressionType, right: ExpressionType): ExpressionType | undefined {
  if (isUntyped(left) || isUntyped(right)) return 'Edm.Untyped';
  if (isCollection(left) && isCollection(right)) {
    const items = sharedType(itemType(left), itemType(right));
    return items && collectionOf(items);
  }
  const [one, other] = [structuredOf(left), structuredOf(right)];
  if (one === undefined || other === undefined) return commonType(left, right);
  if (isA(one, other)) return other;
  return isA(other, one) ? one : undefined;
}

/** Entities are compared by key, which has to be fetched. */
function noteKey(operand: BoundExpression, as: ExpressionType, scope: Scope): void {
  const type = structuredOf(itemType(as));
  if (type === undefined || !('key' in type)) return;
  const reads = readsOf(operand, scope);
  for (const name of type.key) reads?.properties.add(name);
}

function operandsDiffer(
  { operator, position }: PlacedOperator<string>,
  left: BoundExpression,
  right: BoundExpression,
  scope: Scope,
): Error {
  const found = `${typeName(left.type)} and ${typeName(right.type)}`;
  return badRequest(scope, position, `'${operator}' expects operands of one type, found ${found}`);
}
