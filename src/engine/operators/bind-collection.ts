import type { Row, Value } from '../../contract/row.ts';
import { compileSearch, searchedTexts } from '../compile/compile-search.ts';
import type { BindExpression } from '../scope/bind-expression.ts';
import { type BoundExpression, type BoundVariable, constant, itemOf } from '../scope/bound-tree.ts';
import { call } from '../scope/call.ts';
import { badRequest, type Scope } from '../scope/scope.ts';
import { readAs } from '../scope/untyped.ts';
import type {
  CountSegment,
  FilterSegment,
  LambdaSegment,
  SearchExpression,
} from '../tree/expression-tree.ts';
import { isCollection, itemType } from '../typing/expression-type.ts';
import { requireBoolean } from './bind-operator.ts';

/** `any` and `all` (5.1.1.13). The variable hides a property of the same name. */
export function bindLambda(
  owner: BoundExpression,
  segment: LambdaSegment,
  scope: Scope,
  bind: BindExpression,
): BoundExpression {
  const { operator, position } = segment;
  const collection = requireCollection(owner, `'${operator}'`, scope, position);
  const variable = itemOf(collection, itemType(collection.type), position);
  const predicate = bindPredicate(segment, variable, scope, bind);
  const { current } = scope;
  return {
    kind: 'lambda',
    type: 'Edm.Boolean',
    position,
    operator,
    collection,
    variable,
    predicate,
    current,
  };
}

/** `any()` asks whether there is an item. */
function bindPredicate(
  { operator, variable: name, predicate, position }: LambdaSegment,
  variable: BoundVariable,
  scope: Scope,
  bind: BindExpression,
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
  bind: BindExpression,
): BoundExpression {
  const collection = requireCollection(owner, `'$count'`, scope, position);
  const filtered = filter === undefined ? collection : filterItems(collection, filter, scope, bind);
  const found = search === undefined ? filtered : searchItems(filtered, search, scope);
  return call('$count', 'Edm.Int64', position, [found], (items: readonly Value[]) => items.length);
}

/** `/$filter(…)` (5.1.1.15). */
export function bindFilter(
  owner: BoundExpression,
  { predicate, position }: FilterSegment,
  scope: Scope,
  bind: BindExpression,
): BoundExpression {
  return filterItems(requireCollection(owner, `'$filter'`, scope, position), predicate, scope, bind);
}

/** In the condition, a path without a root starts at the item. */
export function filterItems(
  collection: BoundExpression,
  condition: FilterSegment['predicate'],
  scope: Scope,
  bind: BindExpression,
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

function searchItems(
  collection: BoundExpression,
  search: SearchExpression,
  { model }: Scope,
): BoundExpression {
  const matches = compileSearch(search, searchedTexts(model, itemType(collection.type)));
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
  const collection = readAs(owner, 'Collection(Edm.Untyped)');
  if (!isCollection(collection.type)) {
    throw badRequest(scope, position, `${who} expects a collection, found ${owner.type}`);
  }
  return collection;
}
