import { quote } from '../document/document-source.ts';
import { isMapping, type OpenApiDocument, own } from '../parse/openapi-version.ts';
import { compileJsonPath, type JsonPath } from './json-path.ts';
import { JsonPathMistake } from './query-node.ts';

/** What is wrong at a place of an overlay. */
export interface OverlayFault {
  /** A JSON pointer (RFC 6901) into the overlay. */
  readonly pointer: string;
  readonly message: string;
}

/** What an action does to each of its targets; the value is one of the overlay or, of a copy, of the document. */
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

/** The actions of an overlay, or what is wrong with it: all that is wrong, each with its place. */
export type OverlayReading =
  | { readonly kind: 'actions'; readonly actions: readonly Action[] }
  | { readonly kind: 'faults'; readonly faults: readonly OverlayFault[] };

const VERSION = /^1\.[01]\.\d+$/;

const MOST_ACTIONS = 20_000;

/**
 * Reads an Overlay 1.0 or 1.1 document for the OpenAPI document in the file of that name; a document that came in
 * no file is nobody's to name.
 *
 * A minor version that is not known may have actions that are not understood, and is refused.
 */
export function readOverlay(value: unknown, documentFile: string | undefined): OverlayReading {
  const reason = whyNotOverlay(value);
  if (reason !== undefined || !isMapping(value)) return faulty('', reason ?? NO_OVERLAY);
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

const NO_OVERLAY = 'It is no OpenAPI Overlay: it has no `overlay` version';

function whyNotOverlay(value: unknown): string | undefined {
  const version = own(value, 'overlay');
  if (version === undefined) return NO_OVERLAY;
  if (typeof version === 'string' && VERSION.test(version)) return undefined;
  return `Its \`overlay\` version must be a text such as "1.0.0" or "1.1.0", not ${quote(version)}`;
}

function faulty(pointer: string, message: string): OverlayReading {
  return { kind: 'faults', faults: [{ pointer, message }] };
}

/** A URL or a path names the document by its last segment: where it is published is not where it lies here. */
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
  if (!isMapping(value)) return { pointer, message: 'An action is an object' };
  const target = own(value, 'target');
  if (typeof target !== 'string') return { pointer, message: 'The action has no `target`' };
  const change = readChange(value, pointer);
  if ('message' in change) return change;
  const compiled = compile(target, `${pointer}/target`);
  return 'message' in compiled ? compiled : { pointer, target: compiled.path, query: target, change };
}

/** An action does one thing (Overlay 1.1, section 4.4.3); `remove` wins over an `update`, as the standard has it. */
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
    return { pointer, message: `${quote(query)} is no JSONPath query (RFC 9535): ${error.message}` };
  }
}
