import type { Value } from '../../contract/row.ts';
import type { BoundFilter, BoundLambda } from '../scope/bound-tree.ts';
import { countNodes } from '../scope/some-expression.ts';
import type { Evaluator, Predicate } from './evaluator.ts';

/** Whether `any` or `all` is true: `any` of nothing is false, `all` of nothing is true (5.1.1.13). */
export function compileLambda(
  { operator, variable: { cell }, predicate, current }: BoundLambda,
  collection: Evaluator,
  holds: Predicate,
): Predicate {
  const isAny = operator === 'any';
  const nodes = countNodes(predicate);
  return (row) => {
    const items = collection(row);
    if (items === null) return false;
    let found = 0;
    for (const item of items as readonly Value[]) {
      found += 1;
      cell.value = item;
      if (holds(row) === isAny) {
        current.budget.chargeItems(found, nodes);
        return isAny;
      }
    }
    current.budget.chargeItems(found, nodes);
    return !isAny;
  };
}

/** The items that pass a `/$filter` (5.1.1.15). */
export function filteredItems(
  { variable: { cell }, predicate, current }: BoundFilter,
  collection: Evaluator,
  holds: Predicate,
): Evaluator {
  const nodes = countNodes(predicate);
  return (row) => {
    const items = collection(row) as readonly Value[] | null;
    if (items === null) return null;
    current.budget.chargeItems(items.length, nodes);
    return items.filter((item) => {
      cell.value = item;
      return holds(row);
    });
  };
}
