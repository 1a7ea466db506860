import { type Document, isCollection, isScalar, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { DocumentMistake } from './document-mistake.ts';
import { TOO_DEEP } from './document-nesting.ts';
import { parsePlainYaml } from './parse-plain-yaml.ts';
import { nameTwice, type TextPlace, writePlace } from './text-place.ts';

/** Parses one YAML document; depth, names and aliases that would keep the parser busy are told before or without it. */
export function parseYaml(text: string): unknown {
  if (MARKERS.test(text)) throw new DocumentMistake(TOO_DEEP);
  const plain = parsePlainYaml(text);
  if (plain !== undefined) return plain.value;
  const lineCounter = new LineCounter();
  // The parser's own look for names that occur twice takes the square of their number.
  const document = parseDocument(text, { lineCounter, uniqueKeys: false });
  const [error] = document.errors;
  if (error !== undefined) throw notYaml(error.message);
  refuseTags(document, lineCounter);
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

/** What YAML 1.2, 10.3.2, gives to the values that JSON has. */
const TAGS: ReadonlySet<string> = new Set(
  ['map', 'seq', 'str', 'int', 'float', 'bool', 'null'].map((name) => `tag:yaml.org,2002:${name}`),
);

/** A value with another tag is none of JSON's, and what it would be taken for differs from reader to reader. */
function refuseTags({ contents, warnings }: Document, lineCounter: LineCounter): void {
  visit(contents, {
    Node: (_, node) => {
      const { tag } = node as Node & { tag?: string };
      if (tag === undefined || TAGS.has(tag)) return;
      const written = JSON.stringify(tag.slice(0, LONGEST_TAG));
      throw new DocumentMistake(
        `It has the tag ${written}, ${writePlace(placeOf(node, lineCounter))}: JSON has no such values.`,
      );
    },
  });
  const [warning] = warnings;
  if (warning !== undefined) throw notYaml(warning.message);
}

const LONGEST_TAG = 80;

function placeOf({ range }: Node, lineCounter: LineCounter): TextPlace {
  const { line, col } = lineCounter.linePos(range?.[0] ?? 0);
  return { line, column: col };
}

/** Names of members are texts, or read as such. */
function checkNames(document: Document, lineCounter: LineCounter): void {
  visit(document, {
    Map: (_, { items }) => {
      const names = new Set<string>();
      for (const { key } of items) {
        if (isCollection(key)) {
          throw new DocumentMistake(
            `A name is itself an object or a list, ${writePlace(placeOf(key, lineCounter))}.`,
          );
        }
        if (!isScalar(key)) continue;
        const name = String(key.value);
        if (names.has(name)) throw nameTwice(name, placeOf(key, lineCounter));
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
