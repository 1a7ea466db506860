import { safeRegExp } from '../../contract/safe-regexp.ts';
import type { Effort } from './effort.ts';
import { JsonPathMistake, NOTHING, type QueryNode } from './query-node.ts';

/** What a function is called with: the nodes of a query, or a value. */
export type FunctionArgument = readonly QueryNode[] | { readonly value: unknown };

type FilterFunction = (args: readonly FunctionArgument[], effort: Effort) => unknown;

/** The functions of RFC 9535, section 2.4, with the number of what they take. */
const FUNCTIONS: ReadonlyMap<string, readonly [count: number, call: FilterFunction]> = new Map([
  ['length', [1, ([argument]) => lengthOf(valueIn(argument))]],
  ['count', [1, ([argument]) => (isNodes(argument) ? argument.length : NOTHING)]],
  ['value', [1, ([argument]) => valueIn(argument)]],
  ['match', [2, ([text, pattern], effort) => matches(text, pattern, effort, (source) => `^(?:${source})$`)]],
  ['search', [2, ([text, pattern], effort) => matches(text, pattern, effort, (source) => source)]],
]);

/** The result of a function: a value, {@link NOTHING}, or for `match` and `search` true or false. */
export function callFunction(name: string, args: readonly FunctionArgument[], effort: Effort): unknown {
  const [count, call] = FUNCTIONS.get(name) ?? [];
  if (call === undefined) {
    throw new JsonPathMistake(
      `there is no function "${name}": known are ${[...FUNCTIONS.keys()].join(', ')}`,
    );
  }
  if (args.length !== count)
    throw new JsonPathMistake(`${name} takes ${count} arguments, not ${args.length}`);
  return call(args, effort);
}

function isNodes(argument: FunctionArgument | undefined): argument is readonly QueryNode[] {
  return Array.isArray(argument);
}

/** Of a query, the value of its only node. */
function valueIn(argument: FunctionArgument | undefined): unknown {
  if (argument === undefined) return NOTHING;
  if (!isNodes(argument)) return 'value' in argument ? argument.value : NOTHING;
  const [only] = argument;
  return argument.length === 1 && only !== undefined ? only.value : NOTHING;
}

function lengthOf(value: unknown): unknown {
  if (typeof value === 'string') return [...value].length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : NOTHING;
}

/** What matches none, be it because one of both is no text, is false. Time grows with both lengths. */
function matches(
  text: FunctionArgument | undefined,
  pattern: FunctionArgument | undefined,
  effort: Effort,
  frame: (source: string) => string,
): boolean {
  const [value, source] = [valueIn(text), valueIn(pattern)];
  if (typeof value !== 'string' || typeof source !== 'string') return false;
  const expression = safeRegExp(frame(source), '');
  if (expression === undefined) {
    throw new JsonPathMistake(`${JSON.stringify(source)} is no pattern that can be matched in linear time`);
  }
  effort.spend((value.length + 1) * (source.length + 1));
  return expression.test(value);
}
