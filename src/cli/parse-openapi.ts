import { type Document, isCollection, isScalar, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { quote } from '../model/from-openapi/document-source.ts';
import { whyNotNested } from './document-nesting.ts';
import { FileMistake } from './file-mistake.ts';
import { isMapping, type OpenApiDocument, whyNotOpenApi } from './openapi-version.ts';

/** What is larger is looked over before it is parsed as YAML, which takes a second for each megabyte. */
const LARGE_TEXT = 1024 * 1024;

/**
 * Parses the text of an OpenAPI document, in YAML or JSON.
 *
 * Throws a {@link FileMistake} for any other text. Depth, names and aliases that would keep the parser busy
 * for long are told before or without it.
 */
export function parseOpenApi(text: string): OpenApiDocument {
  if (text.trim() === '') throw new FileMistake('The file is empty.');
  if (/^\s*[[{]/.test(text)) parseAsJson(text);
  else refuse(whyNotWorthParsing(text));
  return checked(parseAsYaml(text));
}

/**
 * Tells mistakes in JSON early, as its parser is fast and takes any depth.
 *
 * What passes is parsed as YAML after that, as the gateway does: JSON's parser takes names that occur twice.
 */
function parseAsJson(text: string): void {
  const value = tryJson(text);
  if (value instanceof SyntaxError) {
    // It may be YAML that begins with a bracket.
    if (text.length > LARGE_TEXT) throw new FileMistake(`It is no JSON: ${value.message}.`);
  } else {
    checked(value);
  }
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    return error;
  }
}

/** Markers of lists and keys that begin one line, each a level of its own. */
const MARKERS = /^[ \t]*(?:[-?:][ \t]+){256}/m;

function whyNotWorthParsing(text: string): string | undefined {
  if (MARKERS.test(text)) return 'The document is nested too deeply.';
  if (text.length < LARGE_TEXT || /^[ \t]*["']?(?:openapi|swagger)["']?[ \t]*:/m.test(text)) return undefined;
  return 'It is no OpenAPI document: it has no `openapi` version.';
}

function parseAsYaml(text: string): unknown {
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

/** Names of members are texts, or read as such, and stand in an object once (YAML 1.2, 3.2.1.3). */
function checkNames(document: Document, lineCounter: LineCounter): void {
  const at = ({ range }: Node) => {
    const { line, col } = lineCounter.linePos(range?.[0] ?? 0);
    return `at line ${line}, column ${col}`;
  };
  visit(document, {
    Map: (_, { items }) => {
      const names = new Set<string>();
      for (const { key } of items) {
        if (isCollection(key)) throw new FileMistake(`A name is itself an object or a list, ${at(key)}.`);
        if (!isScalar(key)) continue;
        const name = String(key.value);
        if (names.has(name))
          throw new FileMistake(`${quote(name)} stands twice in one object, again ${at(key)}.`);
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
      if (count > MOST_INNER_ALIASES) throw new FileMistake(ALIASES_OF_ALIASES);
    },
  });
}

const ALIASES_OF_ALIASES = 'Its aliases stand for more than could be read: aliases of aliases of aliases.';

/** The first line of a message says what is wrong and where; the others show the place. */
function notYaml(message: string): FileMistake {
  if (message.includes('call stack')) return new FileMistake('The document is nested too deeply.');
  if (message.includes('Excessive alias')) return new FileMistake(ALIASES_OF_ALIASES);
  const [line = ''] = message.split('\n');
  return new FileMistake(`It is neither YAML nor JSON: ${line.replace(/:$/, '')}.`);
}

function checked(value: unknown): OpenApiDocument {
  if (!isMapping(value)) throw new FileMistake('It is no OpenAPI document: it holds no object.');
  refuse(whyNotOpenApi(value));
  refuse(whyNotNested(value));
  return value;
}

function refuse(reason: string | undefined): void {
  if (reason !== undefined) throw new FileMistake(reason);
}
