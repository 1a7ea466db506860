import pluralize from 'pluralize';
import { words } from '../../model/names.ts';

/** A name for a field, argument or parameter: `userId` for `UserId`, `isbn` for `ISBN`. */
export function fieldName(name: string): string {
  const [first = '', ...rest] = words(name).map(asciiOf);
  return legal([first.toLowerCase(), ...rest.map(capitalized)].join(''));
}

/** A name for a type: the model's, restricted to GraphQL's characters. */
export function typeName(name: string): string {
  return legal(words(name).map(asciiOf).map(capitalized).join(''));
}

/**
 * GraphQL, 2.1.9: ASCII letters, digits and underscores. Two leading underscores are reserved for
 * introspection.
 */
export function isName(name: string): boolean {
  return /^(?!__)[_A-Za-z][_0-9A-Za-z]*$/.test(name);
}

function legal(name: string): string {
  return /^[A-Za-z]/.test(name) ? name : `_${name}`;
}

export function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Removes accents, and writes other letters as code points. */
function asciiOf(word: string): string {
  return word
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^0-9A-Za-z]/gu, (letter) => `U${(letter.codePointAt(0) ?? 0).toString(16)}`);
}

/** A plural that differs from the name. In `ordersByUser`, the plural is that of the orders. */
export function pluralName(one: string): string {
  const [, thing = one, by = ''] = /^(.*?[a-z\d])(By[A-Z].*)$/.exec(one) ?? [];
  const plural = pluralize.plural(thing) + by;
  return plural === one ? `${one}List` : plural;
}
