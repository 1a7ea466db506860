import { type Document, isCollection, isScalar, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { DocumentMistake } from './document-mistake.ts';
import { TOO_DEEP } from './document-nesting.ts';
import { nameTwice, type TextPlace, writePlace } from './text-place.ts';

/** Parses one YAML document; depth, names and aliases that would keep the parser busy are told before or without it. */
export function parseYaml(text: string): unknown {
  if (MARKERS.test(text)) throw new DocumentMistake(TOO_DEEP);
  const lineCounter = new LineCounter();
  // The parser's own look for names that occur twice takes the square of their number.
  const document = parseDocument(text, { lineCounter, uniqueKeys: false });
  const [error] = document.errors;
  if (error !== undefined) throw notYaml(error.message);
  checkNames(document, lineCounter);
  refuseAliasChains(document);
  try {
    return document.toJS();
  } catch (aliasError) {
    throw notYaml(aliasError instanceof Error ? aliasError.message : String(aliasError));
  }
}

/** Markers of lists and keys that begin one line, each a level of its own. */
const MARKERS = /^[ \t]*(?:[-?:][ \t]+){256}/m;

/** Names of members are texts, or read as such. */
function checkNames(document: Document, lineCounter: LineCounter): void {
  const placeOf = ({ range }: Node): TextPlace => {
    const { line, col } = lineCounter.linePos(range?.[0] ?? 0);
    return { line, column: col };
  };
  visit(document, {
    Map: (_, { items }) => {
      const names = new Set<string>();
      for (const { key } of items) {
        if (isCollection(key)) {
          throw new DocumentMistake(`A name is itself an object or a list, ${writePlace(placeOf(key))}.`);
        }
        if (!isScalar(key)) continue;
        const name = String(key.value);
        if (names.has(name)) throw nameTwice(name, placeOf(key));
        names.add(name);
      }
    },
  });
}

/** Resolving them takes the square of their number. */
const MOST_INNER_ALIASES = 1000;

/** Refuses many aliases within what other aliases stand for; the parser has an eye on their size only. */
function refuseAliasChains(document: Document): void {
  let count = 0;
  visit(document, {
    Alias: (_, __, path) => {
      if (path.some((node) => isCollection(node) && node.anchor !== undefined)) count += 1;
      if (count > MOST_INNER_ALIASES) throw new DocumentMistake(ALIASES_OF_ALIASES);
    },
  });
}

const ALIASES_OF_ALIASES = 'Its aliases stand for more than could be read: aliases of aliases of aliases.';

/** The first line of a message says what is wrong and where; the others show the place. */
function notYaml(message: string): DocumentMistake {
  if (message.includes('call stack')) return new DocumentMistake(TOO_DEEP);
  if (message.includes('Excessive alias')) return new DocumentMistake(ALIASES_OF_ALIASES);
  const [line = ''] = message.split('\n');
  return new DocumentMistake(`It is neither YAML nor JSON: ${line.replace(/:$/, '')}.`);
}
