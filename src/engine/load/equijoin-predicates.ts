import type { Value } from '../../contract/row.ts';
import type { EntitySet } from '../../model/edm.ts';
import { conjuncts } from '../query/conjuncts.ts';
import type { Expression } from '../tree/expression-tree.ts';

/** A property of the entities of one of the sets. */
interface Part {
  readonly set: string;
  readonly property: string;
  readonly type: string;
}

/** Two properties that have the same value in all combinations that a filter accepts. */
export type EquijoinPredicate = readonly [Part, Part];

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

/** What equal values have in common; null is equal to null, and to no text. */
export function textOf(value: Value | undefined): string {
  return value === null || value === undefined ? 'null' : `=${String(value).toLowerCase()}`;
}
