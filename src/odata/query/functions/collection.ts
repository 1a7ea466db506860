import type { Value } from '../../../contract/entity-source.ts';
import { type Signature, signature } from './signature.ts';

const TWO = ['collection', 'collection'] as const;

/** Collection functions (5.1.1.6). */
export const COLLECTION_FUNCTIONS: readonly (readonly [string, readonly Signature[]])[] = [
  ['hassubset', [signature(TWO, 'Edm.Boolean', hasSubset)]],
  ['hassubsequence', [signature(TWO, 'Edm.Boolean', hasSubsequence)]],
];

/** Every item of the second is in the first, as often as it is in the second. */
function hasSubset(items: readonly Value[], subset: readonly Value[]): boolean {
  const left = [...items];
  return subset.every((item) => takeOut(left, item));
}

function takeOut(items: Value[], item: Value): boolean {
  const place = items.indexOf(item);
  if (place >= 0) {
    items.splice(place, 1);
  }
  return place >= 0;
}

/** The items of the second are in the first, in that order, others between them. */
function hasSubsequence(items: readonly Value[], sequence: readonly Value[]): boolean {
  let found = 0;
  for (const item of items) {
    if (found < sequence.length && item === sequence[found]) {
      found += 1;
    }
  }
  return found === sequence.length;
}
