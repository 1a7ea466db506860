import type { EntityType } from '../../model/edm.ts';
import { comparableType } from '../../model/readable-property.ts';
import type { SearchExpression } from '../url/tree.ts';
import type { Predicate } from './evaluator.ts';

/** The properties that `$search` looks into: all strings but those that the model says are not searchable. */
export function searchedProperties(type: EntityType): readonly string[] {
  return [...type.structuralProperties.values()]
    .filter((property) => comparableType(property) === 'Edm.String' && property.searchable !== false)
    .map(({ name }) => name);
}

/**
 * Compiles `$search` (5.1.8): an entity matches a word or a phrase where one of its strings contains it,
 * in upper or lower case.
 */
export function compileSearch(search: SearchExpression, properties: readonly string[]): Predicate {
  switch (search.kind) {
    case 'term':
      return compileTerm(search.text.toLowerCase(), properties);
    case 'searchNot':
      return not(compileSearch(search.operand, properties));
    case 'searchAnd':
      return and(compileSearch(search.left, properties), compileSearch(search.right, properties));
    case 'searchOr':
      return or(compileSearch(search.left, properties), compileSearch(search.right, properties));
  }
}

function not(holds: Predicate): Predicate {
  return (row) => !holds(row);
}

function and(left: Predicate, right: Predicate): Predicate {
  return (row) => left(row) && right(row);
}

function or(left: Predicate, right: Predicate): Predicate {
  return (row) => left(row) || right(row);
}

function compileTerm(text: string, properties: readonly string[]): Predicate {
  return (row) =>
    properties.some((name) => {
      const value = row[name];
      return typeof value === 'string' && value.toLowerCase().includes(text);
    });
}
