import {
  constructFromEvents,
  EVENT_ALIAS,
  EVENT_DOCUMENT,
  EVENT_MAPPING,
  EVENT_POP,
  EVENT_SCALAR,
  EVENT_SEQUENCE,
  type Event,
  parseEvents,
  SCALAR_STYLE_PLAIN,
} from 'js-yaml';
import { type Document, isCollection, isScalar, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { DocumentMistake } from './document-mistake.ts';
import { DEEPEST_DOCUMENT, TOO_DEEP, validateNesting } from './document-nesting.ts';

/** Longer texts are parsed as JSON only, because YAML takes a second per megabyte. */
export const LARGE_TEXT = 1024 * 1024;

/**
 * Parses an untrusted text in JSON or YAML (1.2).
 *
 * All names become own members. Throws {@link DocumentMistake}, with line and column if known, for malformed
 * texts, duplicate names, deep nesting, and too many aliases.
 */
export function parseText(text: string): unknown {
  const value = parseAsEither(text);
  const reason = validateNesting(value);
  if (reason !== undefined) throw new DocumentMistake(reason);
  return value;
}

export function beginsAsJson(text: string): boolean {
  return /^\s*[[{]/.test(text);
}

function parseAsEither(text: string): unknown {
  if (!beginsAsJson(text)) return parseYaml(text);
  const reading = tryJson(text);
  if (reading.kind === 'malformed') {
    // The text may be YAML that begins with a bracket, and the YAML parser reports positions.
    if (text.length <= LARGE_TEXT) return parseYaml(text);
    throw new DocumentMistake(`It is not JSON: ${reading.message}.`);
  }
  const second = findSecondName(text);
  if (second !== undefined) throw nameTwice(second.name, second);
  return reading.value;
}

type JsonReading =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'malformed'; readonly message: string };

function tryJson(text: string): JsonReading {
  try {
    return { kind: 'value', value: JSON.parse(text) as unknown };
  } catch (error) {
    return { kind: 'malformed', message: error instanceof Error ? error.message : String(error) };
  }
}

/** A position in a text; line and column count from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

export function writePlace({ line, column }: TextPlace): string {
  return `at line ${line}, column ${column}`;
}

/** The position in a message; zeros without one. */
export function placeIn(message: string): TextPlace {
  const [, line = '0', column = '0'] = /at line (\d+), column (\d+)/.exec(message) ?? [];
  return { line: Number(line), column: Number(column) };
}

/** YAML 1.2, 3.2.1.3, and RFC 8259, section 4: names must be unique in an object. */
function nameTwice(name: string, again: TextPlace): DocumentMistake {
  const written = JSON.stringify(name.length > 80 ? `${name.slice(0, 79)}…` : name);
  return new DocumentMistake(`${written} appears twice in one object, again ${writePlace(again)}.`);
}

interface SecondName extends TextPlace {
  readonly name: string;
}

/** The names of the current object; undefined for a list. */
type Names = Set<string> | undefined;

/**
 * Finds the first duplicate name in a JSON text, because JSON's parser silently uses the last one. The text
 * must be well-formed.
 */
function findSecondName(text: string): SecondName | undefined {
  const around: Names[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '{') around.push(new Set());
    else if (character === '[') around.push(undefined);
    else if (character === '}' || character === ']') around.pop();
    else if (character === '"') {
      const end = endOfString(text, at);
      const name = isName(text, end) ? nameOf(text.slice(at + 1, end - 1)) : undefined;
      if (name !== undefined && around.at(-1)?.has(name)) return { name, ...placeAt(text, at) };
      if (name !== undefined) around.at(-1)?.add(name);
      at = end - 1;
    }
  }
  return undefined;
}

/** The decoded text between quotation marks. */
function nameOf(written: string): string {
  return written.includes('\\') ? String(JSON.parse(`"${written}"`)) : written;
}

/** The position after the string that begins there. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

const COLON_NEXT = /\s*:/y;

function isName(text: string, end: number): boolean {
  COLON_NEXT.lastIndex = end;
  return COLON_NEXT.test(text);
}

function placeAt(text: string, at: number): TextPlace {
  const before = text.slice(0, at);
  return { line: before.split('\n').length, column: at - before.lastIndexOf('\n') };
}

/** Parses one YAML document; depth, names and aliases that would take too long are rejected first. */
function parseYaml(text: string): unknown {
  if (MARKERS.test(text)) throw new DocumentMistake(TOO_DEEP);
  const plain = parsePlainYaml(text);
  if (plain !== undefined) return plain.value;
  const lineCounter = new LineCounter();
  // The parser's own check for duplicate names takes quadratic time.
  const document = parseDocument(text, { lineCounter, uniqueKeys: false });
  const [error] = document.errors;
  if (error !== undefined) throw notYaml(error.message);
  assertNoTags(document, lineCounter);
  checkNames(document, lineCounter);
  assertNoAliasChains(document);
  try {
    return document.toJS();
  } catch (aliasError) {
    throw notYaml(aliasError instanceof Error ? aliasError.message : String(aliasError));
  }
}

/** Markers of nested lists and keys at the start of one line. */
const MARKERS = /^[ \t]*(?:[-?:][ \t]+){256}/m;

/** The tags of the JSON schema in YAML 1.2, 10.3.2. */
const TAGS: ReadonlySet<string> = new Set(
  ['map', 'seq', 'str', 'int', 'float', 'bool', 'null'].map((name) => `tag:yaml.org,2002:${name}`),
);

/** Rejects other tags, which parsers interpret differently. */
function assertNoTags({ contents, warnings }: Document, lineCounter: LineCounter): void {
  visit(contents, {
    Node: (_, node) => {
      const { tag } = node as Node & { tag?: string };
      if (tag === undefined || TAGS.has(tag)) return;
      const written = JSON.stringify(tag.slice(0, LONGEST_TAG));
      throw new DocumentMistake(
        `It has the tag ${written}, ${writePlace(nodePosition(node, lineCounter))}: JSON has no such values.`,
      );
    },
  });
  const [warning] = warnings;
  if (warning !== undefined) throw notYaml(warning.message);
}

const LONGEST_TAG = 80;

function nodePosition({ range }: Node, lineCounter: LineCounter): TextPlace {
  const { line, col } = lineCounter.linePos(range?.[0] ?? 0);
  return { line, column: col };
}

/** Checks that names of members are texts, or can be read as texts. */
function checkNames(document: Document, lineCounter: LineCounter): void {
  visit(document, {
    Map: (_, { items }) => {
      const names = new Set<string>();
      for (const { key } of items) {
        if (isCollection(key)) {
          throw new DocumentMistake(
            `A name is itself an object or a list, ${writePlace(nodePosition(key, lineCounter))}.`,
          );
        }
        if (!isScalar(key)) continue;
        const name = String(key.value);
        if (names.has(name)) throw nameTwice(name, nodePosition(key, lineCounter));
        names.add(name);
      }
    },
  });
}

/** Resolving aliases takes quadratic time. */
const MOST_INNER_ALIASES = 1000;

/** Rejects many nested aliases; the parser only limits their expanded size. */
function assertNoAliasChains(document: Document): void {
  let count = 0;
  visit(document, {
    Alias: (_, __, path) => {
      if (path.some((node) => isCollection(node) && node.anchor !== undefined)) count += 1;
      if (count > MOST_INNER_ALIASES) throw new DocumentMistake(ALIASES_OF_ALIASES);
    },
  });
}

const ALIASES_OF_ALIASES = 'Its aliases stand for more than could be read: aliases of aliases of aliases.';

/** The first line of a message has the mistake and its position; the others show the text. */
function notYaml(message: string): DocumentMistake {
  if (message.includes('call stack')) return new DocumentMistake(TOO_DEEP);
  if (message.includes('Excessive alias')) return new DocumentMistake(ALIASES_OF_ALIASES);
  const [line = ''] = message.split('\n');
  return new DocumentMistake(`It is neither YAML nor JSON: ${line.replace(/:$/, '')}.`);
}

/** The value of a YAML text; undefined if it has anything but plain data, or is malformed. */
export type PlainYaml = { readonly value: unknown } | undefined;

/**
 * Parses YAML with JSON's features only: one document without anchors, aliases, tags, directives and names
 * that are not texts. This takes a tenth of the time and half of the memory of the parser with positions,
 * which handles all other texts.
 */
function parsePlainYaml(text: string): PlainYaml {
  try {
    const events = parseEvents(text, { maxDepth: DEEPEST_DOCUMENT });
    if (!isPlain(text, events)) return undefined;
    const documents = constructFromEvents(events, { source: text, maxAliases: 0 });
    return documents.length === 1 ? { value: documents[0] } : undefined;
  } catch {
    return undefined;
  }
}

/** The expected next token of an open collection. */
type Expected = 'name' | 'value' | 'item';

function isPlain(text: string, events: readonly Event[]): boolean {
  const open: Expected[] = [];
  for (const event of events) {
    const expected = open.at(-1);
    switch (event.type) {
      case EVENT_DOCUMENT:
        if (event.directives.length > 0) return false;
        open.push('item');
        continue;
      case EVENT_POP:
        open.pop();
        continue;
      case EVENT_ALIAS:
        return false;
      case EVENT_SCALAR:
        if (isMarked(event) || (expected === 'name' && !isPlainName(text, event))) return false;
        break;
      case EVENT_MAPPING:
      case EVENT_SEQUENCE:
        if (isMarked(event) || expected === 'name') return false;
    }
    if (expected === 'name') open[open.length - 1] = 'value';
    if (expected === 'value') open[open.length - 1] = 'name';
    if (event.type === EVENT_MAPPING) open.push('name');
    if (event.type === EVENT_SEQUENCE) open.push('item');
  }
  return true;
}

/** Whether a node has an anchor or a tag. */
function isMarked({
  anchorStart,
  tagStart,
}: {
  readonly anchorStart: number;
  readonly tagStart: number;
}): boolean {
  return anchorStart >= 0 || tagStart >= 0;
}

type Scalar = Extract<Event, { type: typeof EVENT_SCALAR }>;

/** Parsers disagree on null and number names, except for integers such as status codes. */
function isPlainName(text: string, { style, valueStart, valueEnd }: Scalar): boolean {
  if (style !== SCALAR_STYLE_PLAIN) return true;
  const written = text.slice(valueStart, valueEnd);
  return (
    /^[1-9]\d{0,8}$/.test(written) ||
    (/^[A-Za-z_/$]/.test(written) && !/^(?:null|true|false)$/i.test(written))
  );
}
