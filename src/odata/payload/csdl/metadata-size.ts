import { VOCABULARIES } from './vocabulary-uri.ts';

/**
 * The annotations that `$metadata` leaves out of a large service, the ones that clients miss least first: texts for people,
 * then lists of values, then what screens are made of. Names are terms, or vocabularies as a whole.
 */
const LEFT_OUT: readonly (readonly string[])[] = [
  ['Core.LongDescription', 'Core.Example', 'Core.Links'],
  ['Validation.AllowedValues'],
  ['Core.Description'],
  ['UI.FieldGroup', 'UI.Facets', 'Common.ValueList'],
  ['Validation'],
  ['Common', 'UI'],
];

/** A service whose document is smaller than this, in characters, has all annotations. */
const SMALL = 256 * 1024;
/** The size for each entity set that a larger document is brought below, in characters, if that is possible. */
const PER_SET = 5 * 1000;

/** Returns true for a term whose annotations a document has, such as `Core.Description`. */
export type IncludesTerm = (term: string) => boolean;

export const ALL_TERMS: IncludesTerm = () => true;

/** The terms that a document of that size keeps; `sizes` are the characters of the annotations by term. */
export function keptTerms(
  size: number,
  entitySets: number,
  sizesByTerm: () => ReadonlyMap<string, number>,
): IncludesTerm {
  const limit = Math.max(SMALL, entitySets * PER_SET);
  if (size <= limit) return ALL_TERMS;
  const sizes = sizesByTerm();
  const left = new Set<string>();
  let rest = size;
  for (const names of LEFT_OUT) {
    if (rest <= limit) break;
    for (const name of names) {
      if (!left.has(name)) rest -= sizeOf(name, left, sizes);
      left.add(name);
    }
  }
  return (term) => !left.has(term) && !left.has(vocabularyOf(term));
}

function sizeOf(name: string, left: ReadonlySet<string>, sizes: ReadonlyMap<string, number>): number {
  const terms = [...sizes].filter(
    ([term]) => !left.has(term) && (term === name || vocabularyOf(term) === name),
  );
  return terms.reduce((sum, [, size]) => sum + size, 0);
}

function vocabularyOf(term: string): string {
  return term.slice(0, term.indexOf('.'));
}

/** The annotations that a client asks for: all of some vocabularies beside those that the service chooses, or none. */
export type RequestedAnnotations = readonly string[] | 'none';

/**
 * Reads a preference `include-annotations` (Part 1, 8.2.8.4): names of terms, of `namespace.*` and `*`. A term represents
 * its vocabulary, because each set of vocabularies is a document to keep, and a service may return more than is asked for.
 * Of the exclusions, only `-*` alone has an effect.
 */
export function requestedAnnotations(written: string): RequestedAnnotations {
  const names = written.split(',').map((name) => name.trim());
  if (names.every((name) => name === '-*')) return 'none';
  const isAll = names.includes('*');
  return Object.entries(VOCABULARIES).flatMap(([alias, namespace]) =>
    isAll || names.some((name) => name.startsWith(`${namespace}.`)) ? alias : [],
  );
}

/** The terms that are kept, beside those of the requested vocabularies. */
export function withRequested(kept: IncludesTerm, requested: readonly string[]): IncludesTerm {
  if (kept === ALL_TERMS || requested.length === 0) return kept;
  return (term) => requested.includes(vocabularyOf(term)) || kept(term);
}

export const NO_TERMS: IncludesTerm = () => false;
