import { bindCondition } from '../bind/bind.ts';
import { readsCall } from '../bind/function-calls.ts';
import { compileTrue } from '../compile/compile.ts';
import { compileSearch, noteSearched, searchedTexts } from '../compile/compile-search.ts';
import type { Predicate } from '../compile/evaluator.ts';
import type { Scope } from '../scope/scope.ts';
import type { SystemQueryOptions } from '../tree/options-tree.ts';
import { itemType } from '../typing/expression-type.ts';
import { structuredType } from '../typing/model-type.ts';
import { conjuncts } from './conjuncts.ts';

/** `$search` and `$filter`, both of which a row, or an item of a collection in it, must pass. */
export function compileAccept(
  { filter, search }: Pick<SystemQueryOptions, 'filter' | 'search'>,
  scope: Scope,
): Predicate | undefined {
  const found = search && compileSearch(search, searchedTexts(scope.model, searchedType(scope)));
  const accepted = filter && compileTrue(bindCondition(filter, scope));
  return found === undefined || accepted === undefined
    ? (found ?? accepted)
    : (row) => accepted(row) && found(row);
}

/**
 * What a row must pass before a function is called for it: `$search`, and those conditions of `$filter` that
 * need no call. Whoever fails these is left out in any case.
 */
export function compileBeforeCalls(
  { filter, search }: Pick<SystemQueryOptions, 'filter' | 'search'>,
  outer: Scope,
): Predicate {
  const scope = { ...outer, nodes: { limit: Number.POSITIVE_INFINITY, used: 0 } };
  const { calls = new Map() } = scope;
  const bound = (filter === undefined ? [] : conjuncts(filter)).map((each) => bindCondition(each, scope));
  const free = bound.filter((condition) => !readsCall(condition, calls)).map(compileTrue);
  const found = search && compileSearch(search, searchedTexts(scope.model, searchedType(scope)));
  return (row) => free.every((accepts) => accepts(row)) && found?.(row) !== false;
}

/** What `$search` looks into is read from the fetched row. */
function searchedType({ model, instance, row, reads, related }: Scope): string {
  const type = structuredType(model, instance.type);
  if (type !== undefined && instance === row) noteSearched(type, { properties: reads, related }, model);
  return itemType(instance.type);
}
