import type { SystemQueryOptions } from '../url/tree.ts';
import { bindCondition } from './bind.ts';
import { compileTrue } from './compile.ts';
import type { Predicate } from './evaluator.ts';
import { itemType } from './expression-type.ts';
import { structuredType } from './model-type.ts';
import type { Scope } from './scope.ts';
import { compileSearch, searchedProperties, searchedTexts } from './search.ts';

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

/** What `$search` looks into is read from the fetched row. */
function searchedType({ model, instance, it, reads }: Scope): string {
  const type = structuredType(model, instance.type);
  if (type !== undefined && instance === it) {
    for (const name of searchedProperties(type)) reads.add(name);
  }
  return itemType(instance.type);
}
