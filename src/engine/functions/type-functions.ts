import type { Row, Value } from '../../contract/row.ts';
import { isA } from '../../model/edm.ts';
import { compileValue } from '../compile/compile.ts';
import { convertTo } from '../operators/coerce.ts';
import {
  type BoundExpression,
  type BoundVariable,
  badRequest,
  bind,
  call,
  castStructured,
  constant,
  isReadAs,
  itemOf,
  notImplemented,
  quote,
  readAs,
  type Scope,
  typeTest,
} from '../scope/scope.ts';
import type { CallExpression, TypeExpression } from '../tree/query-tree.ts';
import {
  collectionOf,
  enumerationOf,
  enumerationType,
  isCollection,
  isEnumeration,
  isGeography,
  isNumeric,
  isStructured,
  isUntyped,
  itemType,
  qualifiedName,
  structuredOf,
  structuredType,
  typeName,
} from '../typing/expression-type.ts';
import { enumerationNumber, toEnumeration } from '../values/enumeration.ts';
import { isPrimitiveName } from '../values/primitive.ts';

export function isTypeFunction(name: string): boolean {
  return name === 'cast' || name === 'isof';
}

/**
 * `cast` and `isof` (5.1.1.10). A cast that fails is null. Without a first argument they are about the
 * instance.
 */
export function bindTypeFunction(node: CallExpression, scope: Scope): BoundExpression {
  const [first, last] = node.arguments.length === 1 ? [undefined, node.arguments[0]] : node.arguments;
  if (last?.kind !== 'type' || node.arguments.length > 2) {
    throw badRequest(
      scope,
      node.position,
      `${quote(node.name)} expects a value and a type's name, found other arguments`,
    );
  }
  assertKnownType(last, scope);
  const value = first === undefined ? scope.instance : bind(first, scope);
  if (isCollection(value.type) || last.collection) return bindOfCollection(node, value, last, scope);
  return node.name === 'isof' ? bindTest(node, value, last, scope) : bindCast(node, value, last, scope);
}

function assertKnownType({ name, position }: TypeExpression, { model, ...scope }: Scope): void {
  const isOfModel = structuredType(model, name) !== undefined || enumerationType(model, name) !== undefined;
  if (!isOfModel && !isPrimitiveName(name) && !ABSTRACT_TYPES.has(name)) {
    throw badRequest(scope, position, `expected a type of the model, found ${quote(name)}`);
  }
}

const ABSTRACT_TYPES: ReadonlySet<string> = new Set([
  'Edm.PrimitiveType',
  'Edm.ComplexType',
  'Edm.EntityType',
  'Edm.Untyped',
]);

function bindTest(
  { position }: CallExpression,
  value: BoundExpression,
  { name }: TypeExpression,
  scope: Scope,
): BoundExpression {
  const test = (evaluate: (value: Row) => boolean): BoundExpression =>
    call('isof', 'Edm.Boolean', position, [value], evaluate);
  if (isUntyped(value.type) && isPrimitiveName(name)) return isReadAs(value, name);
  const declared = structuredOf(value.type);
  const target = structuredType(scope.model, name);
  if (declared !== undefined && target !== undefined) return test(typeTest(declared, target));
  const answer = isAlways(name, value);
  return test(() => answer);
}

function isAlways(name: string, value: BoundExpression): boolean {
  return name === typeName(value.type) || isAbstractBase(name, value);
}

/**
 * 5.1.1.10.1: collections are cast item by item. A single value is not a collection, and a collection no single
 * value.
 */
function bindOfCollection(
  node: CallExpression,
  value: BoundExpression,
  type: TypeExpression,
  scope: Scope,
): BoundExpression {
  const { name, position } = node;
  const collection = readAs(value, collectionOf('Edm.Untyped'));
  if (!isCollection(collection.type) || !type.collection) {
    return name === 'cast'
      ? constant(null, 'null', position)
      : call('isof', 'Edm.Boolean', position, [value], () => false);
  }
  const item = itemOf(collection, itemType(collection.type), position);
  return name === 'cast'
    ? castItems(node, collection, item, type, scope)
    : testItems(node, collection, item, type, scope);
}

/** If the items' type alone decides, empty collections match, too. */
function testItems(
  node: CallExpression,
  collection: BoundExpression,
  item: BoundVariable,
  type: TypeExpression,
  scope: Scope,
): BoundExpression {
  const { position } = node;
  const isDeclared = !isUntyped(item.type) && !isStructured(item.type);
  const answer = isAlways(type.name, item);
  if (isDeclared) return call('isof', 'Edm.Boolean', position, [collection], () => answer);
  const predicate = bindTest(node, item, type, scope);
  return {
    kind: 'lambda',
    type: 'Edm.Boolean',
    position,
    operator: 'all',
    collection,
    variable: item,
    predicate,
    current: scope.current,
  };
}

function castItems(
  node: CallExpression,
  collection: BoundExpression,
  item: BoundVariable,
  type: TypeExpression,
  scope: Scope,
): BoundExpression {
  const bound = bindCast(node, item, type, scope);
  if (bound === item) return collection;
  const convert = compileValue(bound);
  const castItem = (value: Value): Value => {
    item.cell.value = value;
    return convert(NO_ROW);
  };
  const { name } = type;
  const target = structuredType(scope.model, name) ?? enumerationType(scope.model, name);
  const result = collectionOf(target ?? (isPrimitiveName(name) ? name : bound.type));
  return call('cast', result, node.position, [collection], (items: readonly Value[]) => items.map(castItem));
}

/** A placeholder, because the cast depends on the item only. */
const NO_ROW: Row = {};

/** CSDL 4.01, 3.2 and 4: the types that all primitive, complex or entity types are derived from. */
function isAbstractBase(name: string, { type }: BoundExpression): boolean {
  const structured = structuredOf(type);
  switch (name) {
    case 'Edm.PrimitiveType':
      return isPrimitiveName(type) || isEnumeration(type);
    case 'Edm.EntityType':
      return structured?.kind === 'entity';
    case 'Edm.ComplexType':
      return structured?.kind === 'complex';
    default:
      return name === 'Edm.Untyped';
  }
}

function bindCast(
  { position }: CallExpression,
  value: BoundExpression,
  { name }: TypeExpression,
  scope: Scope,
): BoundExpression {
  if (name === typeName(value.type)) return value;
  const target = structuredType(scope.model, name);
  if (target !== undefined) return castToStructured(value, target, scope, position);
  const toEnum = enumerationType(scope.model, name);
  if (toEnum !== undefined) {
    const from = value.type === 'Edm.String' || isNumeric(value.type) || isUntyped(value.type);
    const convert = from ? (given: Value) => toEnumeration(toEnum, given) : () => null;
    return call('cast', toEnum, position, [value], convert);
  }
  if (!isPrimitiveName(name)) {
    throw notImplemented(scope, position, `'cast' to ${quote(name)}`);
  }
  if (isStructured(value.type) || isGeography(value.type)) {
    return constant(null, 'null', position);
  }
  const fromEnum = enumerationOf(value.type);
  if (fromEnum !== undefined && isNumeric(name)) {
    return call('cast', name, position, [value], enumerationNumber(fromEnum));
  }
  const from = fromEnum === undefined ? value.type : 'Edm.String';
  return call('cast', name, position, [value], convertTo(name, from));
}

/** A cast to a type that the value cannot be of is null. */
function castToStructured(
  value: BoundExpression,
  target: NonNullable<ReturnType<typeof structuredType>>,
  scope: Scope,
  position: number,
): BoundExpression {
  const declared = structuredOf(value.type);
  const isRelated = declared !== undefined && (isA(target, declared) || isA(declared, target));
  return isRelated
    ? castStructured(value, qualifiedName(target), scope, position)
    : constant(null, 'null', position);
}
