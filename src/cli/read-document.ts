import { type FileHandle, open } from 'node:fs/promises';
import { type Document, isCollection, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import { quote } from '../model/from-openapi/document-source.ts';
import { whyNotNested } from './document-nesting.ts';
import { isMapping, type OpenApiDocument, whyNotOpenApi } from './openapi-version.ts';

type Reading =
  | { readonly kind: 'document'; readonly document: OpenApiDocument }
  | { readonly kind: 'mistake'; readonly message: string };

/** The largest public descriptions have some ten megabytes. */
const LARGEST_FILE = 16 * 1024 * 1024;

/** What is larger is looked over before it is parsed as YAML, which takes a second for each megabyte. */
const LARGE_TEXT = 1024 * 1024;

/**
 * Reads an OpenAPI document, in YAML or JSON, from a file that may hold anything.
 *
 * It never throws: what is no document, or none that could be served, comes back as the one mistake.
 */
export async function readDocument(file: string): Promise<Reading> {
  try {
    const document = parseText(await readText(file));
    return { kind: 'document', document };
  } catch (error) {
    return { kind: 'mistake', message: explain(error) };
  }
}

/** A mistake in a file, in words for its author. */
class FileMistake extends Error {}

function explain(error: unknown): string {
  if (error instanceof FileMistake) return error.message;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = REASONS.get(code) ?? (error instanceof Error ? error.message : String(error));
  return `The file cannot be read: ${reason}.`;
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'there is none of that name'],
  ['ENOTDIR', 'there is none of that name'],
  ['EACCES', 'access is denied'],
  ['EPERM', 'access is denied'],
]);

async function readText(file: string): Promise<string> {
  const handle = await open(file);
  try {
    return decode(await readBytes(handle));
  } finally {
    await handle.close();
  }
}

/** Reads a little more than is allowed at the most: pipes and devices do not tell their size. */
async function readBytes(handle: FileHandle): Promise<Uint8Array> {
  const status = await handle.stat();
  if (status.isDirectory()) throw new FileMistake('It is a directory, not an OpenAPI file.');
  if (status.size > LARGEST_FILE) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of handle.createReadStream({ autoClose: false }) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > LARGEST_FILE) throw tooLarge();
  }
  return Buffer.concat(chunks);
}

function tooLarge(): FileMistake {
  return new FileMistake(`The file is larger than ${LARGEST_FILE / 1024 / 1024} MB.`);
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new FileMistake('The file is no text in UTF-8.');
  }
}

function parseText(text: string): OpenApiDocument {
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
  if (text.length < LARGE_TEXT || /^\s*["']?(?:openapi|swagger)["']?\s*:/m.test(text)) return undefined;
  return 'It is no OpenAPI document: it has no `openapi` version.';
}

function parseAsYaml(text: string): unknown {
  const lineCounter = new LineCounter();
  // The parser's own look for names that occur twice takes the square of their number.
  const document = parseDocument(text, { lineCounter, uniqueKeys: false });
  const [error] = document.errors;
  if (error !== undefined) throw notYaml(error.message);
  refuseDoubles(document, lineCounter);
  refuseAliasChains(document);
  try {
    return document.toJS();
  } catch (aliasError) {
    throw notYaml(aliasError instanceof Error ? aliasError.message : String(aliasError));
  }
}

/** YAML 1.2, 3.2.1.3: the keys of a mapping are unique. */
function refuseDoubles(document: Document, lineCounter: LineCounter): void {
  visit(document, {
    Map: (_, { items }) => {
      const names = new Set<string>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        const name = String(key.value);
        if (names.has(name)) throw twice(name, lineCounter.linePos(key.range?.[0] ?? 0));
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

function twice(name: string, { line, col }: { line: number; col: number }): FileMistake {
  return new FileMistake(`${quote(name)} stands twice in one object, at line ${line}, column ${col} again.`);
}

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
