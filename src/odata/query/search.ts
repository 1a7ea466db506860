import type { Row, Value } from '../../contract/entity-source.ts';
import type { Model } from '../../model/edm.ts';
import { comparableType } from '../../model/readable-property.ts';
import type { SearchExpression } from '../url/tree.ts';
import type { Predicate } from './evaluator.ts';
import { type ModelType, structuredType } from './model-type.ts';

/** The properties that `$search` looks into: all strings but those that the model says are not searchable. */
export function searchedProperties(type: ModelType): readonly string[] {
  return [...type.structuralProperties.values()]
    .filter((property) => comparableType(property) === 'Edm.String' && property.searchable !== false)
    .map(({ name }) => name);
}

/** Whether a row, or an item of a collection, has a text that passes the test. */
type HasText = (row: Row, test: (text: string) => boolean) => boolean;

/** Where `$search` looks in values of a type: the searched properties, or the value itself. */
export function searchedTexts(model: Model, typeName: string): HasText {
  const type = structuredType(model, typeName);
  return type === undefined ? isText : inProperties(searchedProperties(type));
}

function isText(value: Value, test: (text: string) => boolean): boolean {
  return typeof value === 'string' && test(value);
}

export function inProperties(properties: readonly string[]): HasText {
  return (row, test) =>
    properties.some((name) => {
      const value = row[name];
      return typeof value === 'string' && test(value);
    });
}

/**
 * Compiles `$search` (5.1.8): an entity matches a word or a phrase where one of its strings contains it,
 * in upper or lower case.
 */
export function compileSearch(search: SearchExpression, hasText: HasText): Predicate {
  switch (search.kind) {
    case 'term':
      return compileTerm(search.text.toLowerCase(), hasText);
    case 'searchNot':
      return not(compileSearch(search.operand, hasText));
    case 'searchAnd':
      return and(compileSearch(search.left, hasText), compileSearch(search.right, hasText));
    case 'searchOr':
      return or(compileSearch(search.left, hasText), compileSearch(search.right, hasText));
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

function compileTerm(text: string, hasText: HasText): Predicate {
  const contains = (value: string): boolean => value.toLowerCase().includes(text);
  return (row) => hasText(row, contains);
}
