import pluralize from 'pluralize';
import { words } from '../../model/names.ts';

/** A name for a field, an argument or a parameter: `UserId` is `userId`, `ISBN` is `isbn`. */
export function fieldName(name: string): string {
  const [first = '', ...rest] = words(name).map(asciiOf);
  return legal([first.toLowerCase(), ...rest.map(capitalized)].join(''));
}

/** A name for a type: as the model has it, in the letters that GraphQL takes. */
export function typeName(name: string): string {
  return legal(words(name).map(asciiOf).map(capitalized).join(''));
}

/** GraphQL, 2.1.9: letters of ASCII, digits and underscores. Two of these in front are the introspection's. */
export function isName(name: string): boolean {
  return /^(?!__)[_A-Za-z][_0-9A-Za-z]*$/.test(name);
}

function legal(name: string): string {
  return /^[A-Za-z]/.test(name) ? name : `_${name}`;
}

export function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Accents go; a letter of another script is its code point. */
function asciiOf(word: string): string {
  return word
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^0-9A-Za-z]/gu, (letter) => `U${(letter.codePointAt(0) ?? 0).toString(16)}`);
}

/** For several of what has the name; it is not the name itself. Of `ordersByUser`, the orders are several. */
export function pluralName(one: string): string {
  const [, thing = one, by = ''] = /^(.*?[a-z\d])(By[A-Z].*)$/.exec(one) ?? [];
  const plural = pluralize.plural(thing) + by;
  return plural === one ? `${one}List` : plural;
}
