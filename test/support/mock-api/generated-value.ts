import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { isObject, type JsonObject, textAt } from './json.ts';
import type { SchemaView, Viewer } from './schema-view.ts';

/** The seed of a value: the same seed yields the same value. */
export interface Seed {
  /** The row's number, from 1. */
  readonly row: number;
  /** Of what the row lies below; empty at the root. */
  readonly salt: string;
}

/** Objects and lists that may be missing are left out below this depth, and at the second one everything ends. */
const OPTIONAL_DEPTH = 2;
const LAST_DEPTH = 8;

/** A value of the schema for the property of that name. */
export function generate(view: Viewer, schema: JsonObject, seed: Seed, name: string, depth = 0): unknown {
  const seen = view(schema);
  if (seen.nullable && depth > 0 && (seed.row + hash(name)) % 4 === 0) return null;
  if (seen.words['const'] !== undefined) return seen.words['const'];
  const values = Array.isArray(seen.words['enum'])
    ? seen.words['enum'].filter((value) => value !== null)
    : [];
  if (values.length > 0) return values[(seed.row + hash(seed.salt)) % values.length];
  switch (seen.kind) {
    case 'object':
      return generateObject(view, seen, seed, depth);
    case 'array':
      return generateList(view, seen, seed, name, depth);
    case 'integer':
    case 'number':
      return generateNumber(seen.kind, seen.words, seed);
    case 'boolean':
      return (seed.row + seed.salt.length) % 2 === 0;
    case 'string':
    case 'any':
      return generateText(seen.words, seed, name);
  }
}

/** An object with all that may be read of it. */
function generateObject(view: Viewer, seen: SchemaView, seed: Seed, depth: number): JsonObject {
  if (depth >= LAST_DEPTH) return {};
  const shown = [...seen.properties].filter(([name, schema]) => {
    const { kind, words } = view(schema);
    if (words['writeOnly'] === true) return false;
    return seen.required.has(name) || depth < OPTIONAL_DEPTH || (kind !== 'object' && kind !== 'array');
  });
  const additional = seen.words['additionalProperties'];
  if (shown.length === 0 && isObject(additional) && depth < OPTIONAL_DEPTH) {
    return { key: generate(view, additional, seed, 'key', depth + 1) };
  }
  return Object.fromEntries(
    shown.map(([name, schema]) => [name, generate(view, schema, seed, name, depth + 1)]),
  );
}

function generateList(
  view: Viewer,
  seen: SchemaView,
  seed: Seed,
  name: string,
  depth: number,
): readonly unknown[] {
  const { items, words } = seen;
  if (items === undefined || depth >= LAST_DEPTH) return [];
  const choices = view(items).words['enum'];
  const most =
    Array.isArray(choices) && words['uniqueItems'] === true ? choices.length : Number.POSITIVE_INFINITY;
  const wanted = depth > OPTIONAL_DEPTH ? 0 : 1 + (seed.row % 2);
  const length = Math.min(
    Math.max(wanted, numberOf(words['minItems']) ?? 0),
    numberOf(words['maxItems']) ?? most,
    most,
  );
  // An odd step leads through any choice of values without an early repetition.
  return Array.from({ length }, (_, index) =>
    generate(view, items, { ...seed, row: seed.row + index * 1001 }, name, depth + 1),
  );
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function generateNumber(kind: 'integer' | 'number', words: JsonObject, { row, salt }: Seed): number {
  const step = numberOf(words['multipleOf']) ?? 1;
  const [least, most] = boundsOf(words, step);
  const unbounded = (row + (salt === '' ? 0 : hash(salt) * 1000)) * step;
  const fraction = kind === 'number' && words['multipleOf'] === undefined ? 0.5 : 0;
  if (unbounded >= least && unbounded + fraction <= most) return unbounded + fraction;
  const first = Number.isFinite(least) ? Math.ceil(least / step) : Math.floor(most / step) - 1000;
  const last = Number.isFinite(most) ? Math.floor(most / step) : first + 1000;
  return (first + (row % Math.max(1, last - first + 1))) * step;
}

/** Both ways of saying that a bound is exclusive: as a number (3.1) and as a boolean (3.0). */
export function boundsOf(words: JsonObject, step: number): readonly [number, number] {
  const above =
    numberOf(words['exclusiveMinimum']) ??
    (words['exclusiveMinimum'] === true ? words['minimum'] : undefined);
  const below =
    numberOf(words['exclusiveMaximum']) ??
    (words['exclusiveMaximum'] === true ? words['maximum'] : undefined);
  const least = numberOf(above) === undefined ? numberOf(words['minimum']) : Number(above) + step;
  const most = numberOf(below) === undefined ? numberOf(words['maximum']) : Number(below) - step;
  return [least ?? Number.NEGATIVE_INFINITY, most ?? Number.POSITIVE_INFINITY];
}

function generateText(words: JsonObject, seed: Seed, name: string): string {
  const formatted = formattedText(textAt(words, 'format'), seed, name);
  const text = formatted ?? fittedText(words, seed, name);
  const pattern = words['pattern'];
  return typeof pattern === 'string' ? matchingText(pattern, text, words, seed) : text;
}

const DAY = 86_400_000;
const FIRST_DAY = Date.UTC(2024, 0, 1);

function formattedText(format: string, { row, salt }: Seed, name: string): string | undefined {
  const number = row + hash(salt);
  switch (format) {
    case 'date':
      return new Date(FIRST_DAY + number * DAY).toISOString().slice(0, 10);
    case 'date-time':
      return new Date(FIRST_DAY + number * 3_600_000).toISOString().replace('.000Z', 'Z');
    case 'time':
      return new Date(number * 60_000).toISOString().slice(11, 19);
    case 'duration':
      return `PT${row}M`;
    case 'uuid':
      return uuidOf(`${name} ${row} ${salt}`);
    case 'uri':
    case 'url':
    case 'iri':
    case 'uri-reference':
      return `https://example.com/${encodeURIComponent(name)}/${number}`;
    case 'email':
      return `user${number}@example.com`;
    case 'hostname':
      return `host${number}.example.com`;
    case 'ipv4':
      return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
    case 'ipv6':
      return `2001:db8::${number.toString(16)}`;
    case 'byte':
      return Buffer.from(`${name} ${number}`).toString('base64');
    case 'decimal':
    case 'int64':
    case 'int32':
      return String(number);
    default:
      return undefined;
  }
}

function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The name and the number, within the length that is allowed. */
function fittedText(words: JsonObject, { row, salt }: Seed, name: string): string {
  const number = String(row);
  const most = numberOf(words['maxLength']) ?? 255;
  const whole = salt === '' ? `${name}-${number}` : `${name}-${number}-${salt}`;
  const text =
    whole.length <= most
      ? whole
      : `${name.slice(0, Math.max(0, most - number.length))}${number}`.slice(-most);
  return text.padEnd(numberOf(words['minLength']) ?? 0, 'x');
}

const SAMPLES = 300;
const samples = new Map<string, readonly string[]>();

/** The text itself where it will do. */
function matchingText(pattern: string, text: string, words: JsonObject, { row, salt }: Seed): string {
  const expression = readPattern(pattern);
  if (expression === undefined || expression.test(text)) return text;
  const least = numberOf(words['minLength']) ?? 0;
  const most = numberOf(words['maxLength']) ?? 200;
  const found = samples.get(`${least} ${most} ${pattern}`) ?? sampleTexts(expression, least, most);
  samples.set(`${least} ${most} ${pattern}`, found);
  return found[(row + hash(salt)) % found.length] ?? text;
}

/** ECMA-262, as JSON Schema says; what is not, is not held to. */
export function readPattern(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern);
  } catch {
    return undefined;
  }
}

/** Distinct ones; those of a length that is not allowed only where there are no others. */
function sampleTexts(expression: RegExp, least: number, most: number): readonly string[] {
  try {
    const found = fc.sample(fc.stringMatching(expression, { size: 'medium' }), { numRuns: SAMPLES, seed: 1 });
    const fitting = found.filter(({ length }) => length >= least && length <= most);
    return [...new Set(fitting.length > 0 ? fitting : found)];
  } catch {
    return [];
  }
}

/** A number below 1000, the same for the same text; 0 for none. */
export function hash(text: string): number {
  return [...text].reduce((sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) % 997, 0);
}
