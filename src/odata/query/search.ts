import type { Value } from '../../contract/entity-source.ts';
import type { Model } from '../../model/edm.ts';
import { comparableType } from '../../model/readable-property.ts';
import type { SearchExpression } from '../url/tree.ts';
import { type ModelType, structuredType } from './bind/model-type.ts';
import type { Predicate } from './compile/evaluator.ts';

/** The properties that `$search` looks into: all strings but those that the model says are not searchable. */
export function searchedProperties(type: ModelType): readonly string[] {
  return [...type.structuralProperties.values()]
    .filter((property) => comparableType(property) === 'Edm.String' && property.searchable !== false)
    .map(({ name }) => name);
}

/** Makes of a text in lower case the question whether a row, or an item of a collection, contains it. */
type FindText = (text: string) => Predicate;

/** How `$search` looks into values of a type: into the searched properties, or into the value itself. */
export function searchedTexts(model: Model, typeName: string): FindText {
  const type = structuredType(model, typeName);
  return type === undefined ? findInValue : findInProperties(searchedProperties(type));
}

const findInValue: FindText = (text) => {
  const least = leastLength(text);
  return (item: Value) =>
    typeof item === 'string' && item.length >= least && item.toLowerCase().includes(text);
};

/**
 * Shorter texts cannot contain the text in any case, and need not be turned into lower case: that makes no
 * text longer, but where it puts a dot above (U+0307).
 */
function leastLength(text: string): number {
  return text.includes('\u0307') ? 0 : text.length;
}

function findInProperties(properties: readonly string[]): FindText {
  return (text) => {
    const least = leastLength(text);
    return (row) => {
      for (const name of properties) {
        const value = row[name];
        if (typeof value !== 'string' || value.length < least) continue;
        if (value.toLowerCase().includes(text)) return true;
      }
      return false;
    };
  };
}

/**
 * Compiles `$search` (5.1.8): an entity matches a word or a phrase where one of its strings contains it,
 * in upper or lower case.
 */
export function compileSearch(search: SearchExpression, find: FindText): Predicate {
  switch (search.kind) {
    case 'term':
      return find(search.text.toLowerCase());
    case 'searchNot':
      return not(compileSearch(search.operand, find));
    case 'searchAnd':
      return and(compileSearch(search.left, find), compileSearch(search.right, find));
    case 'searchOr':
      return or(compileSearch(search.left, find), compileSearch(search.right, find));
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
