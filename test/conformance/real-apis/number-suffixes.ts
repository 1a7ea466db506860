import { plainWord } from '../../support/mock-api/plain-word.ts';

/**
 * The names that a number was put behind only to tell them from others: the name without it stands beside
 * them, and the document has no word that ends with that number.
 */
export function numberSuffixes(
  scopes: ReadonlyMap<string, readonly string[]>,
  document: string,
): readonly string[] {
  const words = new Set([...document.matchAll(/[A-Za-z][\w.-]*\d/g)].map(([word]) => plainWord(word)));
  return [...scopes].flatMap(([scope, names]) => {
    const known = new Set(names);
    return names
      .filter((name) => {
        const base = name.replace(/_?\d+$/, '');
        return base !== name && known.has(base) && !words.has(plainWord(name));
      })
      .map((name) => `${scope}: ${name}`);
  });
}
