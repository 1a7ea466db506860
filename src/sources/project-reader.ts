import { resolve } from 'node:path';
import { isObject } from '../core/json-object.ts';
import { Secret } from '../core/secret.ts';
import type { FileReader } from '../openapi/file-reader.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The mistakes in a project, which are reported together. */
export type Mistakes = string[];
export type Section = Readonly<Record<string, unknown>>;

export type ProjectFiles = Pick<FileReader, 'read' | 'readOpenApi' | 'readText'>;

/** The context for reading a project file. */
export interface Reader {
  readonly directory: string;
  readonly environment: Environment;
  readonly mistakes: Mistakes;
  readonly files: ProjectFiles;
}

/** A mapping; records a mistake for other values. */
export function section(value: unknown, place: string, mistakes: Mistakes): Section | undefined {
  if (isObject(value)) return value;
  mistakes.push(`"${place}" must be a mapping`);
  return undefined;
}

/** Rejects unknown settings, which would be silently ignored. */
export function checkKeys(
  value: Section,
  known: ReadonlySet<string>,
  place: string,
  mistakes: Mistakes,
): void {
  for (const key of Object.keys(value)) {
    if (known.has(key)) continue;
    mistakes.push(
      `"${place === '' ? key : `${place}.${key}`}" is not served; known are ${[...known].join(', ')}`,
    );
  }
}

/** Reads the settings of one section; what is wrong with them is noted, and none of their values is repeated. */
export class SettingReader {
  readonly place: string;
  readonly reader: Reader;
  readonly #section: Section;

  constructor(value: unknown, place: string, known: readonly string[], reader: Reader) {
    this.place = place;
    this.reader = reader;
    this.#section = section(value, place, reader.mistakes) ?? {};
    checkKeys(this.#section, new Set(known), place, reader.mistakes);
  }

  has(name: string): boolean {
    return this.#value(name) !== undefined;
  }

  refuse(name: string, reason: string): void {
    this.reader.mistakes.push(`"${this.place}.${name}" ${reason}`);
  }

  /** Empty, with a mistake, if missing. */
  text(name: string): string {
    const text = this.optionalText(name);
    if (text === undefined && !this.has(name)) this.refuse(name, 'is missing');
    return text ?? '';
  }

  /** Undefined also where it is empty, which is a mistake. */
  optionalText(name: string): string | undefined {
    const value = this.#value(name);
    if (value === undefined) return undefined;
    const place = `${this.place}.${name}`;
    const before = this.reader.mistakes.length;
    checkVariablesSet(value, place, this.reader);
    const text = readSecretText(value, place, this.reader);
    if (text !== '') return text;
    if (this.reader.mistakes.length === before) this.refuse(name, 'must not be empty');
    return undefined;
  }

  secret(name: string): Secret {
    return new Secret(this.text(name));
  }

  optionalSecret(name: string): Secret | undefined {
    const text = this.optionalText(name);
    return text === undefined ? undefined : new Secret(text);
  }

  choice<Choice extends string>(name: string, choices: readonly Choice[], fallback: Choice): Choice {
    const value = this.#value(name);
    const found = choices.find((choice) => choice === value);
    if (value !== undefined && found === undefined) this.refuse(name, `must be one of ${choices.join(', ')}`);
    return found ?? fallback;
  }

  /** Texts without spaces in them. */
  optionalWords(name: string): readonly string[] | undefined {
    const value = this.#value(name);
    if (value === undefined) return undefined;
    const words = Array.isArray(value) ? value.filter((word) => /^\S+$/.test(String(word))) : [];
    if (!Array.isArray(value) || words.length < value.length) {
      this.refuse(name, 'must be a list of words');
    }
    return words.map(String);
  }

  /** A nested section, if present. */
  section(name: string, known: readonly string[]): SettingReader | undefined {
    const value = this.#value(name);
    if (value === undefined) return undefined;
    return new SettingReader(value, `${this.place}.${name}`, known, this.reader);
  }

  #value(name: string): unknown {
    const value = Object.hasOwn(this.#section, name) ? this.#section[name] : undefined;
    return value === null ? undefined : value;
  }
}

const PLACEHOLDER = /\{([^}]*)\}/g;

/** `{env.NAME}` and `{env.NAME:default}`, as Mesh knows them. */
const ENVIRONMENT_NAME = /^env\.(\w+)(?::(.*))?$/s;

/** `{file:/run/secrets/name}`, which Mesh does not know; a path is relative to the project's directory. */
const FILE_NAME = /^file:(.+)$/s;

/** A text with the environment filled in. */
export function readText(value: unknown, place: string, reader: Reader): string {
  return fill(value, place, reader, (whole) => {
    reader.mistakes.push(
      `"${place}" has ${whole}; only {env.NAME} is filled in: nothing of a client is passed on`,
    );
    return '';
  });
}

/** A text with the environment and whole files filled in. Of a file, line breaks at its end do not count. */
function readSecretText(value: unknown, place: string, reader: Reader): string {
  return fill(value, place, reader, (whole, inner) => {
    const [, file] = FILE_NAME.exec(inner) ?? [];
    if (file !== undefined) return readSecretFile(file, place, reader);
    const known = 'only {env.NAME} and {file:PATH} are filled in: nothing of a client is passed on';
    reader.mistakes.push(`"${place}" has ${whole}; ${known}`);
    return '';
  });
}

/**
 * Records a mistake for missing variables, because calls must not be sent without their credential; empty
 * variables count as unset.
 */
export function checkVariablesSet(value: unknown, place: string, { environment, mistakes }: Reader): void {
  for (const [, inner = ''] of String(value).matchAll(PLACEHOLDER)) {
    const [, name, fallback] = ENVIRONMENT_NAME.exec(inner) ?? [];
    if (name === undefined || fallback !== undefined || environment[name]) continue;
    mistakes.push(`"${place}" needs the variable ${name}, or {env.${name}:} where it may be missing`);
  }
}

function fill(
  value: unknown,
  place: string,
  { environment, mistakes }: Reader,
  fillOther: (whole: string, inner: string) => string,
): string {
  if (typeof value !== 'string') {
    mistakes.push(`"${place}" must be a string`);
    return '';
  }
  return value.replace(PLACEHOLDER, (whole, inner: string) => {
    const [, name, fallback] = ENVIRONMENT_NAME.exec(inner) ?? [];
    return name === undefined ? fillOther(whole, inner) : (environment[name] ?? fallback ?? '');
  });
}

const LONGEST_SECRET = 64 * 1024;

/** The file is one of the project's: what it holds later is read again. */
function readSecretFile(path: string, place: string, { directory, files, mistakes }: Reader): string {
  const file = resolve(directory, path);
  const refuse = (reason: string): string => {
    mistakes.push(`"${place}" needs the file ${file}: ${reason}`);
    return '';
  };
  try {
    const text = files.readText(file).replace(/[\r\n]+$/, '');
    if (text === '') return refuse('it is empty');
    return text.length > LONGEST_SECRET ? refuse(`it is longer than ${LONGEST_SECRET} characters`) : text;
  } catch (error) {
    return refuse((error as Error).message);
  }
}

/** The headers that go with each call; names in lower case. */
export function readHeaders(value: unknown, place: string, reader: Reader): Record<string, string> {
  const headers: Record<string, string> = {};
  if (value === undefined || value === null) return headers;
  for (const [name, raw] of Object.entries(section(value, place, reader.mistakes) ?? {})) {
    checkVariablesSet(raw, `${place}.${name}`, reader);
    const text = readSecretText(raw, `${place}.${name}`, reader);
    const reason = validateHeader(name, text);
    if (reason !== undefined) reader.mistakes.push(`"${place}.${name}" ${reason}`);
    else if (text !== '') headers[name.toLowerCase()] = text;
  }
  return headers;
}

/** The query parameters added to each call. Like Mesh, accepts numbers and booleans. */
export function readQuery(value: unknown, place: string, reader: Reader): Record<string, string> {
  const parameters: Record<string, string> = {};
  if (value === undefined || value === null) return parameters;
  for (const [name, raw] of Object.entries(section(value, place, reader.mistakes) ?? {})) {
    const isPlain = typeof raw === 'number' || typeof raw === 'boolean';
    checkVariablesSet(raw, `${place}.${name}`, reader);
    const text = readSecretText(isPlain ? String(raw) : raw, `${place}.${name}`, reader);
    if (text !== '') parameters[name] = text;
  }
  return parameters;
}

/** RFC 9110, section 5.1 and 5.5. */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~\w]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\xa0-\xff]*$/;

/** Headers that belong to the connection: where a message ends must not depend on a setting. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The mistake in a header field, as the rest of a sentence; undefined if it is valid. */
export function validateHeader(name: string, value: string): string | undefined {
  if (!HEADER_NAME.test(name)) return 'is not the name of a header';
  if (CONNECTION_HEADERS.has(name.toLowerCase())) return 'is set by the connection and cannot be configured';
  if (!HEADER_VALUE.test(value)) return 'has a value with line breaks or with characters beyond Latin-1';
  return undefined;
}
