import { GatewayError } from '../../contract/gateway-error.ts';
import { meshName } from '../../model/derive/names/mesh-name.ts';
import type { HttpField, QueryStyle } from '../fields/http-field.ts';

/** An argument as OpenAPI has it written: texts, lists and objects of texts. */
export type WireValue = string | readonly WireValue[] | WireObject;

export interface WireObject {
  readonly [name: string]: WireValue;
}

const MAXIMUM_LENGTH = 256;
const SHOWN_LENGTH = 100;

/** Control characters; they are refused because upstreams differ in what they take them for. */
const CONTROL = /\p{Cc}/u;

/**
 * Stands where Mesh shall leave a text alone: it would take `2024-02-29` for a time, `1.50` for 1.5. No
 * argument has it, and no request: see {@link withoutMarks}.
 */
const MARK = '\0';

/**
 * The arguments as Mesh is to be given them, so that it sends what OpenAPI says: each path argument one
 * segment of the path, items of a list with commas between them where the document wants that.
 *
 * `encodeURIComponent` leaves `.` and `..` alone, and both would address another path.
 */
export function markArguments(
  { pathArguments, headerArguments, queryArguments }: HttpField,
  args: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const marked: Record<string, unknown> = { ...args };
  for (const name of pathArguments) marked[name] = markText(pathText(name, args[name]));
  for (const name of headerArguments) marked[name] = headerText(name, args[name]);
  for (const [name, style] of queryArguments) marked[name] = queryValue(name, style, args[name]);
  return marked;
}

/**
 * An integer whose text is the same, be it taken for a text or for a number. Zero is not among them: Mesh takes it for no
 * value. Where a number is wanted and the text is marked, Mesh makes an error, which costs more than all else of a call.
 */
const PLAIN_INTEGER = /^-?[1-9]\d{0,14}$/;

function markText(text: string): string {
  return PLAIN_INTEGER.test(text) ? text : `${MARK}${text}`;
}

/** What Mesh has made of marked arguments. */
export function withoutMarks(text: string): string {
  return text.includes(MARK) ? text.replaceAll(MARK, '') : text;
}

/** Mesh puts the text of an argument that is a list into the path as JSON, marked or not. */
const LIST_IN_PATH = /\["(?:\\u0000)?([^"]*)"\]/g;

/** Removes the marks from a URL, in whose query a mark is a comma that is no part of an item. */
export function unmarkedPath(path: string): string {
  return withoutMarks(path).replace(LIST_IN_PATH, '$1').replaceAll('%00', ',');
}

/** Style `simple` (OpenAPI 3.1, 4.8.12.3): items, names and values with commas between them. */
function simpleTexts(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(simpleTexts);
  if (typeof value === 'object' && value !== null) return Object.entries(value).flat().flatMap(simpleTexts);
  return [String(value ?? '')];
}

/** An argument as one segment of the path, percent-encoded; what cannot be one is BadRequest. */
export function pathText(name: string, value: unknown): string {
  const texts = simpleTexts(value);
  for (const text of texts) demand(name, text, whyNotSegment(text));
  return texts.map(encodeURIComponent).join(',');
}

function headerText(name: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = simpleTexts(value).join(',');
  demand(name, text, CONTROL.test(text) ? 'must not have control characters' : undefined);
  return markText(text);
}

function queryValue(name: string, style: QueryStyle, value: unknown): unknown {
  if (value === undefined || value === null) return undefined;
  const texts = simpleTexts(value);
  if (texts.length === 0) return undefined;
  const whole = texts.join();
  demand(name, whole, whole.includes(MARK) || !whole.isWellFormed() ? 'must be text' : undefined);
  if (style === 'commas') return texts.join(MARK);
  const isObject = typeof value === 'object' && !Array.isArray(value);
  // Mesh gives the members their own names again.
  return style === 'members' && isObject ? renamed(value as WireObject) : value;
}

function renamed(value: WireObject): WireObject {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [meshName(name), member]));
}

function demand(name: string, text: string, reason: string | undefined): void {
  if (reason === undefined) return;
  const shown = JSON.stringify(text.slice(0, SHOWN_LENGTH).toWellFormed());
  throw new GatewayError('BadRequest', `"${name}" ${reason}; found ${shown}.`, { target: name });
}

function whyNotSegment(text: string): string | undefined {
  if (text === '') return 'must not be empty';
  if (text === '.' || text === '..') return 'must not be a relative path';
  if (text.length > MAXIMUM_LENGTH) return `must not have more than ${MAXIMUM_LENGTH} characters`;
  if (!text.isWellFormed()) return 'must not have half a surrogate pair';
  if (CONTROL.test(text)) return 'must not have control characters';
  return undefined;
}
