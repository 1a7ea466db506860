import type { Value } from '../../contract/row.ts';
import { commonType } from '../operators/coerce.ts';
import type { Same } from '../operators/equality.ts';
import type { Evaluate } from '../scope/bound-tree.ts';
import { itemType } from '../typing/expression-type.ts';
import { type CallSite, type ParameterType, type Signature, signature } from './signature.ts';

type Items = readonly Value[];
type Entry = readonly [string, readonly Signature[]];

const COLLECTION = 'collection';
const TWO = [COLLECTION, COLLECTION] as const;

/** Collection functions (5.1.1.6). */
export const COLLECTION_FUNCTIONS: readonly Entry[] = [
  ['hassubset', [comparing('Edm.Boolean', hasSubset)]],
  ['hassubsequence', [comparing('Edm.Boolean', hasSubsequence)]],
];

/** String functions of collections (5.1.1.5), which are overloads of those of strings. */
export const STRING_FUNCTIONS_OF_COLLECTIONS: ReadonlyMap<string, readonly Signature[]> = new Map<
  string,
  readonly Signature[]
>([
  ['concat', [{ parameters: TWO, result: 'argument', prepare: prepareConcat }]],
  ['contains', [comparing('Edm.Boolean', (items, part, same) => indexOf(items, part, same) >= 0)]],
  [
    'endswith',
    [comparing('Edm.Boolean', (items, end, same) => isAt(items, end, items.length - end.length, same))],
  ],
  ['startswith', [comparing('Edm.Boolean', (items, start, same) => isAt(items, start, 0, same))]],
  ['indexof', [comparing('Edm.Int32', indexOf)]],
  ['length', [signature([COLLECTION], 'Edm.Int32', (items: Items) => items.length)]],
  ['substring', [partOf([COLLECTION, 'Edm.Int32']), partOf([COLLECTION, 'Edm.Int32', 'Edm.Int32'])]],
]);

function prepareConcat({ current }: CallSite): Evaluate {
  return (first: Items, second: Items) => {
    current.budget.chargeItems(first.length + second.length);
    return [...first, ...second];
  };
}

function partOf(parameters: readonly ParameterType[]): Signature {
  const prepare = ({ current, fail }: CallSite) => {
    return (items: Items, start: number, length: number | null) => {
      current.budget.chargeItems(items.length);
      if (length !== null && length < 0) {
        return fail(`'substring' expects a length that is not negative, found ${length}`);
      }
      const first = start < 0 ? Math.max(0, items.length + start) : start;
      return items.slice(first, length === null ? undefined : first + length);
    };
  };
  return { parameters, result: 'argument', prepare };
}

/** A function that looks for items in others: each may be held against each. */
function comparing(
  result: 'Edm.Boolean' | 'Edm.Int32',
  evaluate: (items: Items, part: Items, same: Same) => Value,
): Signature {
  const prepare = ({ arguments: [left, right], current, equalityOf }: CallSite) => {
    const type = left && right && commonType(itemType(left.type), itemType(right.type));
    const same = orBothNull(equalityOf(type ?? 'Edm.Untyped'));
    return (items: Items, part: Items) => {
      current.budget.chargeItems(items.length * Math.max(1, part.length));
      return evaluate(items, part, same);
    };
  };
  return { parameters: TWO, result, prepare };
}

function orBothNull(same: Same): Same {
  return (left, right) => left === right || (left !== null && right !== null && same(left, right));
}

/** Every item of the second is in the first, as often as it is in the second. */
function hasSubset(items: Items, subset: Items, same: Same): boolean {
  const left = [...items];
  return subset.every((item) => takeOut(left, item, same));
}

function takeOut(items: Value[], item: Value, same: Same): boolean {
  const place = items.findIndex((other) => same(other, item));
  if (place >= 0) {
    items.splice(place, 1);
  }
  return place >= 0;
}

/** The items of the second are in the first, in that order, others between them. */
function hasSubsequence(items: Items, sequence: Items, same: Same): boolean {
  let found = 0;
  for (const item of items) {
    const next = sequence[found];
    if (next !== undefined && same(item, next)) {
      found += 1;
    }
  }
  return found === sequence.length;
}

/** Where the items of the second begin in the first, without others between them; -1 where they do not. */
function indexOf(items: Items, part: Items, same: Same): number {
  for (let place = 0; place + part.length <= items.length; place++) {
    if (isAt(items, part, place, same)) return place;
  }
  return -1;
}

function isAt(items: Items, part: Items, place: number, same: Same): boolean {
  return place >= 0 && part.every((item, index) => same(items[place + index] ?? null, item));
}
