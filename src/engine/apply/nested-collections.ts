import type { CurrentBudget } from '../../contract/request-budget.ts';
import type { Row, Value } from '../../contract/row.ts';
import type { Pace, Work } from '../../core/work.ts';
import { bindNames } from '../aggregate/aggregate.ts';
import { compileValue } from '../compile/compile.ts';
import type { Run } from '../query/pipeline.ts';
import {
  assertNewName,
  dynamicMember,
  instanceType,
  type Members,
  membersOf,
  merged,
  NO_MEMBERS,
  scopeOfItems,
  scopeOfResults,
  typeOfInstances,
  withDynamic,
} from '../results/result-type.ts';
import { type BoundExpression, badRequest, quote, type Scope } from '../scope/scope.ts';
import type { Transformation } from '../tree/query-tree.ts';
import { collectionOf, isCollection, isStructured, typeName } from '../typing/expression-type.ts';
import {
  type ApplyContext,
  type CompiledTransformation,
  collectResults,
  overArray,
} from './compiled-transformation.ts';

type AddNested = Extract<Transformation, { kind: 'addnested' }>;

/**
 * addnested (Data Aggregation 4.0, 3.5.2): instances keep what they have, with the results of sequences over
 * their related items as collections. Along a path the instances are those that its last property is of, and
 * are held by those that the path starts at.
 */
export function compileAddNested(
  addNested: AddNested,
  scope: Scope,
  context: ApplyContext,
): CompiledTransformation {
  const { path } = addNested;
  const first = path.findIndex(isProperty);
  const isLast = !path.slice(first + 1).some(isProperty);
  return isLast ? addResults(addNested, scope, context) : addWithin(addNested, first + 1, scope, context);
}

/** The other names in a path are type casts. */
function isProperty(name: string): boolean {
  return !name.includes('.');
}

function addResults(
  { path, items, position }: AddNested,
  scope: Scope,
  context: ApplyContext,
): CompiledTransformation {
  const nested = bindItems('addnested', path, position, scope);
  const steps = items.map(({ alias, then }) => ({ alias, ...context.sequence(then, nested.scope) }));
  return {
    run: eachExtended(scope.current, function* (row) {
      return { ...row, ...(yield* resultsByName(steps, nested.of(row))) };
    }),
    scope: steps.reduce((before, { alias, scope: results }) => {
      assertNewName(alias, membersOf(before), scope, position);
      return withDynamic(before, alias, collectionOf(typeOfInstances(results, 'addnested', context.types)));
    }, scope),
  };
}

/** The path goes on in what its first names lead to. */
function addWithin(
  addNested: AddNested,
  length: number,
  scope: Scope,
  context: ApplyContext,
): CompiledTransformation {
  const { path, position } = addNested;
  const name = path[length - 1] ?? '';
  const held = bindItems('addnested', path.slice(0, length), position, scope);
  const inner = compileAddNested({ ...addNested, path: path.slice(length) }, held.scope, context);
  const type = typeOfInstances(inner.scope, 'addnested', context.types);
  return {
    run: eachExtended(scope.current, function* (row) {
      const found = yield* inner.run(held.of(row));
      return found.length === 0 ? row : { ...row, [name]: held.collection ? found : (found[0] ?? null) };
    }),
    scope: withDynamic(scope, name, held.collection ? collectionOf(type) : type),
  };
}

function eachExtended(pace: Pace, extend: (row: Row) => Work<Row>): Run {
  return function* (rows) {
    const extended: Row[] = [];
    for (const row of rows) {
      extended.push(yield* extend(row));
      if (pace.isDue()) yield;
    }
    return extended;
  };
}

type Join = Extract<Transformation, { kind: 'join' | 'outerjoin' }>;

/**
 * join, outerjoin (Data Aggregation 4.0, 3.5.1): an instance for each item of a collection in it, after the
 * items are transformed. Only outerjoin keeps instances without items.
 */
export function compileJoin(
  { kind, path, alias, then, position }: Join,
  scope: Scope,
  context: ApplyContext,
): CompiledTransformation {
  assertNewName(alias, membersOf(scope), scope, position);
  const items = bindItems(kind, path, position, scope);
  const inner = context.sequence(then, items.scope);
  return {
    run: joining(scope.current, alias, (row) => inner.run(items.of(row)), kind === 'outerjoin'),
    scope: withDynamic(scope, alias, typeOfInstances(inner.scope, kind, context.types)),
  };
}

function joining(
  current: CurrentBudget,
  alias: string,
  items: (row: Row) => Work<readonly Row[]>,
  isOuter: boolean,
): Run {
  return (rows) =>
    collectResults(current, rows, function* (row) {
      const found = yield* items(row);
      if (isOuter && found.length === 0) return [{ ...row, [alias]: null }];
      return found.map((item) => ({ ...row, [alias]: item }));
    });
}

type Nest = Extract<Transformation, { kind: 'nest' }>;

/** nest (Data Aggregation 4.0, 3.5.3): one instance that has the results of sequences as collections. */
export function compileNest(
  { items, position }: Nest,
  scope: Scope,
  context: ApplyContext,
): CompiledTransformation {
  const steps = items.map(({ alias, then }) => ({ alias, ...context.sequence(then, scope) }));
  const members = steps.reduce<Members>((before, { alias, scope: results }) => {
    assertNewName(alias, before, scope, position);
    const type = collectionOf(typeOfInstances(results, 'nest', context.types));
    return merged(before, dynamicMember(alias, type));
  }, NO_MEMBERS);
  return {
    run: overArray(scope.current, function* (rows) {
      return [yield* resultsByName(steps, rows)];
    }),
    scope: scopeOfResults(scope, context.types.define(instanceType(scope), 'nest', members)),
  };
}

/** The results of the sequences, by alias. */
function* resultsByName(
  steps: readonly (Pick<CompiledTransformation, 'run'> & { readonly alias: string })[],
  rows: readonly Row[],
): Work<Row> {
  const results: Record<string, readonly Row[]> = {};
  for (const { alias, run } of steps) results[alias] = yield* run(rows);
  return results;
}

/** The entities or complex values that a path leads to from each instance, and what is said about them. */
export interface NestedItems {
  readonly scope: Scope;
  readonly of: (row: Row) => readonly Row[];
  readonly collection: boolean;
}

/** Binds the path that `join`, `outerjoin` and `addnested` transform the items of. */
function bindItems(
  transformation: string,
  path: readonly string[],
  position: number,
  scope: Scope,
): NestedItems {
  const found = bindNames(path, position, scope);
  const itemScope = scopeOfItems(scope, found);
  if (!isStructured(itemScope.instance.type)) {
    throw badRequest(
      scope,
      position,
      `${quote(transformation)} expects entities or complex values, found ${typeName(found.type)}`,
    );
  }
  const collection = isCollection(found.type);
  const items = collection ? itemsIn(found) : itemIn(found);
  const { current } = scope;
  return {
    scope: itemScope,
    collection,
    of(row) {
      const all = items(row);
      current.budget.chargeRows(all.length);
      return all;
    },
  };
}

function itemsIn(collection: BoundExpression): NestedItems['of'] {
  const value = compileValue(collection);
  return (row) => (value(row) ?? []) as readonly Value[] as readonly Row[];
}

function itemIn(single: BoundExpression): NestedItems['of'] {
  const value = compileValue(single);
  return (row) => only(value(row) as Row | null);
}

function only(value: Row | null): readonly Row[] {
  return value === null ? [] : [value];
}
