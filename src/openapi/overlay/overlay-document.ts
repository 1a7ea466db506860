import { existsSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { isNode, LineCounter, parseDocument } from 'yaml';
import { isObject } from '../../core/json-object.ts';
import { pointerNames } from '../document/document-node.ts';
import { quote } from '../document/document-source.ts';
import { DocumentMistake } from '../parse/document-mistake.ts';
import { decodeText, type NamedText, readBytes } from '../parse/file-text.ts';
import { type OpenApiDocument, own } from '../parse/openapi-version.ts';
import { LARGE_TEXT, placeIn, type TextPlace, writePlace } from '../parse/parse-text.ts';
import { compileJsonPath, type JsonPath, JsonPathMistake } from './json-path.ts';

/** A mistake at a position of an overlay. */
export interface OverlayFault {
  /** A JSON pointer (RFC 6901) into the overlay. */
  readonly pointer: string;
  readonly message: string;
}

/**
 * The effect of an action on its targets; the value comes from the overlay or, for a copy, from the document.
 */
export type Change =
  | { readonly kind: 'update'; readonly value: unknown }
  | { readonly kind: 'copy'; readonly from: JsonPath; readonly query: string }
  | { readonly kind: 'remove' };

export interface Action {
  readonly pointer: string;
  readonly target: JsonPath;
  readonly query: string;
  readonly change: Change;
}

/** The actions of an overlay, or all of its mistakes. */
export type OverlayReading =
  | { readonly kind: 'actions'; readonly actions: readonly Action[] }
  | { readonly kind: 'faults'; readonly faults: readonly OverlayFault[] };

const VERSION = /^1\.[01]\.\d+$/;

const MOST_ACTIONS = 20_000;

/**
 * Reads an Overlay 1.0 or 1.1 document for the OpenAPI document in that file, if it has one.
 *
 * Unknown minor versions are rejected, because their actions may be unknown.
 */
export function readOverlay(value: unknown, documentFile: string | undefined): OverlayReading {
  const reason = validateOverlay(value);
  if (reason !== undefined || !isObject(value)) return faulty('', reason ?? NO_OVERLAY);
  const target = own(value, 'extends');
  if (target !== undefined && !isNamed(target, documentFile)) {
    return faulty('/extends', `It is an overlay of ${quote(target)}, and the document is ${documentFile}`);
  }
  const actions = own(value, 'actions');
  if (!Array.isArray(actions) || actions.length === 0) {
    return faulty('/actions', 'It has no actions: `actions` is a list of at least one');
  }
  if (actions.length > MOST_ACTIONS) return faulty('/actions', `It has more than ${MOST_ACTIONS} actions`);
  const read = actions.map((action, index) => readAction(action, `/actions/${index}`));
  const faults = read.flatMap((each) => ('message' in each ? [each] : []));
  if (faults.length > 0) return { kind: 'faults', faults };
  return { kind: 'actions', actions: read.flatMap((each) => ('message' in each ? [] : [each])) };
}

const NO_OVERLAY = 'It is not an OpenAPI Overlay: it has no `overlay` version';

function validateOverlay(value: unknown): string | undefined {
  const version = own(value, 'overlay');
  if (version === undefined) return NO_OVERLAY;
  if (typeof version === 'string' && VERSION.test(version)) return undefined;
  return `Its \`overlay\` version must be a string such as "1.0.0" or "1.1.0", not ${quote(version)}`;
}

function faulty(pointer: string, message: string): OverlayReading {
  return { kind: 'faults', faults: [{ pointer, message }] };
}

/** Compares the last segment of the URL or path only, because documents may be published elsewhere. */
function isNamed(target: unknown, documentFile: string | undefined): boolean {
  if (typeof target !== 'string') return false;
  return documentFile === undefined || lastSegment(target.split(/[?#]/, 1)[0] ?? '') === documentFile;
}

function lastSegment(path: string): string {
  const segment = path.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function readAction(value: unknown, pointer: string): Action | OverlayFault {
  if (!isObject(value)) return { pointer, message: 'An action is an object' };
  const target = own(value, 'target');
  if (typeof target !== 'string') return { pointer, message: 'The action has no `target`' };
  const change = readChange(value, pointer);
  if ('message' in change) return change;
  const compiled = compile(target, `${pointer}/target`);
  return 'message' in compiled ? compiled : { pointer, target: compiled.path, query: target, change };
}

/** An action has one effect (Overlay 1.1, section 4.4.3); `remove` takes precedence over `update`. */
function readChange(action: OpenApiDocument, pointer: string): Change | OverlayFault {
  const remove = own(action, 'remove');
  if (remove !== undefined && typeof remove !== 'boolean') {
    return { pointer: `${pointer}/remove`, message: `remove is true or false, not ${quote(remove)}` };
  }
  if (remove === true) return { kind: 'remove' };
  const copy = own(action, 'copy');
  const hasUpdate = Object.hasOwn(action, 'update');
  if (copy === undefined) {
    if (hasUpdate) return { kind: 'update', value: action['update'] };
    return { pointer, message: 'The action does nothing: it has no `update`, `copy` or `remove: true`' };
  }
  if (hasUpdate) return { pointer, message: 'The action has both `update` and `copy`' };
  if (typeof copy !== 'string') return { pointer: `${pointer}/copy`, message: 'copy is a JSONPath query' };
  const compiled = compile(copy, `${pointer}/copy`);
  return 'message' in compiled ? compiled : { kind: 'copy', from: compiled.path, query: copy };
}

function compile(query: string, pointer: string): { readonly path: JsonPath } | OverlayFault {
  try {
    return { path: compileJsonPath(query) };
  } catch (error) {
    if (!(error instanceof JsonPathMistake)) throw error;
    return { pointer, message: `${quote(query)} is not a JSONPath query (RFC 9535): ${error.message}` };
  }
}

/** A mistake in an overlay with its line and column, or 0 if unknown. */
export type PlacedFault = OverlayFault & TextPlace;

/** An overlay that is invalid or does not apply to its document. */
export class OverlayMistake extends DocumentMistake {
  readonly faults: readonly PlacedFault[];

  constructor(file: string, faults: readonly PlacedFault[], message = `${writeFaults(faults)}.`) {
    super(`The overlay ${file} cannot be applied: ${message}`);
    this.faults = faults;
  }
}

/** The error for an overlay that cannot be read or parsed. */
export function unreadableOverlay(file: string, { message }: DocumentMistake): OverlayMistake {
  return new OverlayMistake(file, [{ pointer: '', message, ...placeIn(message) }], message);
}

const MAX_LISTED = 10;

function writeFaults(faults: readonly PlacedFault[]): string {
  const lines = faults.slice(0, MAX_LISTED).map(({ message, pointer, line, column }) => {
    if (line === 0) return pointer === '' ? message : `at ${pointer}: ${message}`;
    return `${writePlace({ line, column })}${pointer === '' ? '' : ` (${pointer})`}: ${message}`;
  });
  const more = faults.length - lines.length;
  return [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

/** Adds the positions in the text, which must be well-formed. */
export function placeFaults(text: string, faults: readonly OverlayFault[]): readonly PlacedFault[] {
  // Finding positions requires a YAML parser, which takes a second per megabyte.
  if (text.length > LARGE_TEXT) return faults.map((fault) => ({ ...fault, line: 0, column: 0 }));
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, uniqueKeys: false });
  return faults.map((fault) => {
    const names = pointerNames(fault.pointer);
    const nodes = [...names, ''].map((_, length) =>
      document.getIn(names.slice(0, names.length - length), true),
    );
    const found = nodes.find((node) => isNode(node) && node.range);
    const { line, col } = lineCounter.linePos((isNode(found) && found.range?.[0]) || 0);
    return { ...fault, line, column: col };
  });
}

/**
 * The files beside a document that may be its overlay: `posts.overlay.yaml` for `posts.yaml`, by the naming
 * convention of the Overlay Specification.
 */
export function overlayFiles(document: string): readonly [string, ...string[]] {
  const path = join(dirname(document), basename(document, extname(document)));
  return [`${path}.overlay.yaml`, `${path}.overlay.yml`, `${path}.overlay.json`];
}

/** The existing or default overlay file beside a document. */
export function overlayFile(document: string): string {
  const files = overlayFiles(document);
  return files.find((file) => existsSync(file)) ?? files[0];
}

/** The overlay beside a document, if any. All existing candidates are read. */
export function overlayBeside(
  document: string,
  read: (file: string) => string = readFileText,
): NamedText | undefined {
  const [found, other] = overlayFiles(document)
    .filter((file) => existsSync(file))
    .map((file) => ({ file: basename(file), text: attempt(read, file) }));
  if (found === undefined) return undefined;
  const { file, text } = found;
  if (other !== undefined) {
    const message = `${other.file} lies beside it, and a document has one overlay`;
    throw new OverlayMistake(file, [{ pointer: '', message, line: 0, column: 0 }]);
  }
  if (typeof text !== 'string') throw unreadableOverlay(file, text);
  return { file, text };
}

/** Reads the overlay in a file. */
export function readOverlayText(file: string): NamedText {
  const text = attempt(readFileText, file);
  if (typeof text !== 'string') throw unreadableOverlay(file, text);
  return { file, text };
}

function readFileText(file: string): string {
  return decodeText(readBytes(file, 'files'));
}

function attempt(read: (file: string) => string, file: string): string | DocumentMistake {
  try {
    return read(file);
  } catch (error) {
    if (error instanceof DocumentMistake) return error;
    throw error;
  }
}
