import type { RequestBudget } from '../../contract/request-budget.ts';
import type { Row, Value } from '../../contract/row.ts';
import { groupedBy, mapped, type Work } from '../../core/work.ts';
import type { EntitySet } from '../../model/edm.ts';
import { conjuncts } from '../query/pipeline.ts';
import type { LoadContext, LoadRequest } from '../resource/load-context.ts';
import { collectionOf } from '../resource/navigation-source.ts';
import type { EntityReads } from '../scope/scope.ts';
import type { Expression } from '../tree/query-tree.ts';
import { attachRelated, callFor, wantedNames } from './attach-related.ts';
import { entityOf, loadAll } from './load-related.ts';
import { propertiesFor } from './wanted.ts';

/** One of the sets, and what is read of its entities. */
export interface CombinedSet {
  readonly set: EntitySet;
  readonly reads: EntityReads | undefined;
  /** The load request if they are expanded. */
  readonly expanded: LoadRequest | undefined;
}

/** The entities of all sets in all combinations that the equal properties leave; each set is read once. */
export async function loadCombinations(
  loading: LoadContext,
  sets: readonly CombinedSet[],
  equal: readonly EquijoinPredicate[],
): Promise<readonly Row[]> {
  const { budget } = loading.context;
  const loaded = await Promise.all(sets.map((each) => loadSet(loading, each)));
  let combined: readonly Row[] = [{}];
  for (const [index, { set }] of sets.entries()) {
    const joined = new Set(sets.slice(0, index).map((each) => each.set.name));
    const pairs = pairsOf(set.name, joined, equal);
    combined = await budget.run(combine(budget, combined, set.name, loaded[index] ?? [], pairs));
  }
  return combined;
}

async function loadSet(loading: LoadContext, { set, reads, expanded }: CombinedSet): Promise<readonly Row[]> {
  const collection = collectionOf(set);
  const data = await loadAll(loading, collection, wantedOf(set, reads, expanded));
  if (reads === undefined) return data;
  const { budget } = loading.context;
  const entitiesOf = (rows: readonly Row[]) =>
    budget.run(mapped(rows, budget, (row) => entityOf(collection, row)));
  const rows =
    reads.related.size === 0 ? data : await attachRelated(loading, await entitiesOf(data), reads.related);
  const entities = await entitiesOf(rows);
  const places = new Map(entities.map((entity, index) => [rows[index] ?? entity.known, entity]));
  const called = await callFor(loading, places, [...(reads.calls?.values() ?? [])]);
  return rows.map((row) => called.get(row) ?? row);
}

function wantedOf(
  { entityType }: EntitySet,
  reads: EntityReads | undefined,
  expanded: LoadRequest | undefined,
): LoadRequest {
  const behind = reads === undefined ? [] : propertiesFor(entityType, reads.related);
  const names = [...entityType.key, ...(reads?.properties ?? []), ...behind, ...(expanded?.properties ?? [])];
  const { properties, dynamic } = wantedNames(entityType, names);
  return { properties, dynamic: dynamic || expanded?.dynamic === true };
}

/** A property of the set, and the one of a set before it that it is equal to. */
interface Pair {
  readonly own: string;
  readonly other: { readonly set: string; readonly property: string };
}

function pairsOf(
  name: string,
  before: ReadonlySet<string>,
  equal: readonly EquijoinPredicate[],
): readonly Pair[] {
  return equal.flatMap(([left, right]): readonly Pair[] => {
    if (left.set === name && before.has(right.set)) return [{ own: left.property, other: right }];
    if (right.set === name && before.has(left.set)) return [{ own: right.property, other: left }];
    return [];
  });
}

/** The combinations grow with the product of the sets: each is charged before it is made. */
function* combine(
  budget: RequestBudget,
  before: readonly Row[],
  name: string,
  rows: readonly Row[],
  pairs: readonly Pair[],
): Work<readonly Row[]> {
  const found = yield* groupedBy(rows, budget, (row) => textsOf(pairs.map(({ own }) => row[own])));
  const combined: Row[] = [];
  for (const combination of before) {
    const wanted = pairs.map(({ other }) => (combination[other.set] as Row)[other.property]);
    const matching = found.get(textsOf(wanted)) ?? [];
    budget.chargeRows(matching.length);
    for (const row of matching) {
      combined.push({ ...combination, [name]: row });
      if (budget.isDue()) yield;
    }
  }
  return combined;
}

function textsOf(values: readonly Parameters<typeof textOf>[0][]): string {
  return JSON.stringify(values.map(textOf));
}

/** A property of the entities of one of the sets. */
interface Part {
  readonly set: string;
  readonly property: string;
  readonly type: string;
}

/** Two properties that have the same value in all combinations that a filter accepts. */
type EquijoinPredicate = readonly [Part, Part];

/** Types whose values, where they are the same, have the same text but for upper and lower case. */
const PLAIN_TYPES: ReadonlySet<string> = new Set([
  'Edm.String',
  'Edm.Guid',
  'Edm.Boolean',
  'Edm.Int16',
  'Edm.Int32',
  'Edm.Int64',
  'Edm.Date',
]);

/** Finds the conditions `A/x eq B/y` of a filter that all combinations must pass. */
export function equijoinPredicates(
  sets: readonly EntitySet[],
  filter: Expression | undefined,
): readonly EquijoinPredicate[] {
  return (filter === undefined ? [] : conjuncts(filter)).flatMap((term): readonly EquijoinPredicate[] => {
    if (term.kind !== 'binary' || term.operator !== 'eq') return [];
    const [left, right] = [partOf(sets, term.left), partOf(sets, term.right)];
    if (left === undefined || right === undefined || left.type !== right.type) return [];
    return left.set === right.set ? [] : [[left, right]];
  });
}

function partOf(sets: readonly EntitySet[], expression: Expression): Part | undefined {
  if (expression.kind !== 'path' || expression.root !== undefined || expression.alias !== undefined)
    return undefined;
  const [first, second, third] = expression.segments;
  if (first?.kind !== 'name' || second?.kind !== 'name' || third !== undefined) return undefined;
  const set = sets.find(({ name }) => name === first.name);
  const property = set?.entityType.structuralProperties.get(second.name);
  if (property === undefined || property.collection || !PLAIN_TYPES.has(property.type.name)) return undefined;
  return { set: first.name, property: property.name, type: property.type.name };
}

/** A key for equal values; null equals null and no text. */
function textOf(value: Value | undefined): string {
  return value === null || value === undefined ? 'null' : `=${String(value).toLowerCase()}`;
}
