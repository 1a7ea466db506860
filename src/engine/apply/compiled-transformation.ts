import type { CurrentBudget } from '../../contract/request-budget.ts';
import type { Row, Value } from '../../contract/row.ts';
import { type Pace, rowsAtOnce, type Work } from '../../core/work.ts';
import type { NavigationProperty, StructuralProperty } from '../../model/edm.ts';
import type { NewAccumulator } from '../aggregate/group-rows.ts';
import type { Run } from '../query/pipeline.ts';
import {
  type Members,
  memberOf,
  membersOfType,
  merged,
  NO_MEMBERS,
  originOf,
  type ResultTypes,
} from '../results/result-type.ts';
import { badRequest, quote, type Scope } from '../scope/scope.ts';
import type { Transformation } from '../tree/query-tree.ts';
import {
  collectionOf,
  type ExpressionType,
  isCollection,
  isNumeric,
  itemType,
  structuredOf,
  typeName,
  typeOfUse,
  widerType,
} from '../typing/expression-type.ts';

/** For transformations that read their input more than once or by index. */
export function overArray(pace: Pace, run: (rows: readonly Row[]) => Work<readonly Row[]>): Run {
  return function* (rows) {
    return yield* run(yield* rowsAtOnce(rows, pace));
  };
}

/** The input set as it is. */
export function identity(pace: Pace): Run {
  return (rows) => rowsAtOnce(rows, pace);
}

/** A transformation, compiled: what it does, and what names mean in the transformation behind it. */
export interface CompiledTransformation {
  readonly run: Run;
  /**
   * Makes one instance of all rows, each of which it needs once; undefined where the transformation does not do
   * that.
   */
  readonly gather?: NewAccumulator<Row> | undefined;
  readonly scope: Scope;
}

/** The context of nested transformations. */
export interface ApplyContext {
  readonly types: ResultTypes;
  /** Compiles a sequence of transformations whose input is of the scope's instance type. */
  readonly sequence: (transformations: readonly Transformation[], scope: Scope) => CompiledTransformation;
}

/** Puts the results of several parts together, in their order. */
export function* collectResults<Part>(
  current: CurrentBudget,
  parts: Iterable<Part>,
  resultsOf: (part: Part) => Work<readonly Row[]>,
): Work<readonly Row[]> {
  const all: Row[] = [];
  for (const part of parts) {
    const results = yield* resultsOf(part);
    current.budget.chargeRows(results.length);
    for (const row of results) all.push(row);
    if (current.isDue()) yield;
  }
  return all;
}

/** An instance with the values of both; values that both have in part are merged, too. */
export function mergeInstances(shared: Row, row: Row): Row {
  const merged: Record<string, Value> = { ...shared };
  for (const name of Object.keys(row)) {
    merged[name] = mergeValues(shared[name], row[name] ?? null);
  }
  return merged;
}

function mergeValues(shared: Value | undefined, value: Value): Value {
  return isInstance(shared) && isInstance(value) ? mergeInstances(shared, value) : value;
}

function isInstance(value: Value | undefined): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Number);
}

/**
 * All that instances of several kinds have; of those of `concat` some lack what others have. Numbers of different
 * types become those of the wider one, and values that have different parts those that may have each of them; else a
 * name has one type.
 */
export function mergeMembers(
  all: readonly Members[],
  transformation: string,
  scope: Scope,
  types: ResultTypes,
  position: number,
): Members {
  const together = all.reduce((before, next) => {
    const shared = namesOf(next).filter((name) => typeOf(before, name) !== undefined);
    const agreed = shared.map((name) => {
      const type = agree(before, next, name, { transformation, scope, types, position });
      return type === undefined ? pick(before, name) : memberOf(name, type);
    });
    return merged(before, next, ...agreed);
  }, NO_MEMBERS);
  if (transformation !== 'concat') return together;
  const missing = namesOf(together).filter((name) => !all.every((each) => namesOf(each).includes(name)));
  return { ...together, sparse: new Set([...together.sparse, ...missing]) };
}

interface Merging {
  readonly transformation: string;
  readonly scope: Scope;
  readonly types: ResultTypes;
  readonly position: number;
}

function namesOf({ properties, navigation }: Members): readonly string[] {
  return [...properties.keys(), ...navigation.keys()];
}

function pick({ properties, navigation }: Members, name: string): Members {
  const property = properties.get(name);
  const related = navigation.get(name);
  return {
    properties: new Map(property && [[name, property]]),
    navigation: new Map(related && [[name, related]]),
    dynamic: new Set(),
    sparse: new Set(),
  };
}

function typeOf({ properties, navigation }: Members, name: string): ExpressionType | undefined {
  const property: StructuralProperty | undefined = properties.get(name);
  if (property !== undefined) return typeOfUse(property);
  const found: NavigationProperty | undefined = navigation.get(name);
  return found && typeOfUse({ type: found.entityType, collection: found.collection });
}

/** The type that both have in common; undefined where it is the same. */
function agree(before: Members, next: Members, name: string, merging: Merging): ExpressionType | undefined {
  const { scope, position } = merging;
  const [left, right] = [typeOf(before, name) ?? 'null', typeOf(next, name) ?? 'null'];
  if (left === right) return undefined;
  if (isNumeric(left) && isNumeric(right)) return widerType(left, right);
  const merged = mergeStructured(left, right, merging);
  if (merged !== undefined) return merged;
  throw badRequest(
    scope,
    position,
    `expected ${quote(name)} of one type, found ${typeName(left)} and ${typeName(right)}`,
  );
}

/** Two types that have been made of the same one. */
function mergeStructured(
  left: ExpressionType,
  right: ExpressionType,
  { transformation, scope, types, position }: Merging,
): ExpressionType | undefined {
  const one = structuredOf(itemType(left));
  const other = structuredOf(itemType(right));
  if (one === undefined || other === undefined) return undefined;
  if (originOf(one) !== originOf(other) || isCollection(left) !== isCollection(right)) return undefined;
  const members = mergeMembers(
    [membersOfType(one), membersOfType(other)],
    transformation,
    scope,
    types,
    position,
  );
  const type = types.define(one, transformation, members, one.kind);
  return isCollection(left) ? collectionOf(type) : type;
}
