import { GatewayError } from '../../contract/gateway-error.ts';
import type { QueryOptions } from '../../engine/tree/options-tree.ts';
import { Cursor } from './cursor.ts';
import { decodePiece } from './decode.ts';
import { DEFAULT_URL_LIMITS, limitName, type UrlLimits } from './limits.ts';
import { parseQueryOptions } from './query-options.ts';
import { parseResourcePath, type ResourcePath } from './resource-path.ts';

/** What a request is about, and how its answer is to look. */
export interface RequestTarget {
  readonly path: ResourcePath;
  readonly options: QueryOptions;
}

const PATH = 'resource path';
/** What documents may be asked for; they are no data. */
const DOCUMENT_OPTIONS = new Set(['format', 'schemaVersion', 'aliases', 'custom']);

/**
 * Parses a raw request target below the service root, such as `/Post('a%2Fb')?$top=1` (ABNF,
 * odataRelativeUri).
 *
 * Throws nothing but GatewayError: BadRequest with what was expected, what was found and where, or
 * UriTooLong. Names are as they were written: whether there is such a thing, the model says.
 */
export function parseRequestTarget(target: string, limits: UrlLimits = DEFAULT_URL_LIMITS): RequestTarget {
  if (target.length > limits.length) {
    throw new GatewayError(
      'UriTooLong',
      `The URL is longer than ${limits.length} characters (${limitName('length')}).`,
    );
  }
  refuseFragment(target);
  const mark = target.indexOf('?');
  const path = parsePath(mark < 0 ? target : target.slice(0, mark), limits);
  const options = parseQueryOptions(mark < 0 ? '' : target.slice(mark + 1), limits);
  checkOptions(path, options);
  return { path, options };
}

/** A fragment is for the client alone: a `#` that is meant must be percent-encoded. */
function refuseFragment(target: string): void {
  const position = target.indexOf('#');
  if (position < 0) return;
  throw new GatewayError('BadRequest', `request target: expected %23 at position ${position}, found #`);
}

/** One slash before the path and one after it separate nothing. */
function parsePath(rawPath: string, limits: UrlLimits): ResourcePath {
  const start = rawPath.startsWith('/') ? 1 : 0;
  const end = rawPath.length > start && rawPath.endsWith('/') ? -1 : undefined;
  const segments = rawPath
    .slice(start, end)
    .split('/')
    .map((raw) => decodePiece(PATH, raw, 'segment'));
  return parseResourcePath(new Cursor(PATH, segments.join('/'), limits, { slashes: separators(segments) }));
}

/** Where the slashes are that separate segments: others were encoded, and are part of a segment. */
function separators(segments: readonly string[]): ReadonlySet<number> {
  const positions = new Set<number>();
  let end = -1;
  for (const segment of segments.slice(0, -1)) {
    end += segment.length + 1;
    positions.add(end);
  }
  return positions;
}

/** $entity needs $id, and a type for what is selected of it; $metadata, $batch and the service document take no options of a query (5.1). */
function checkOptions(path: ResourcePath, options: QueryOptions): void {
  if (path.kind === 'entity' && options.id === undefined) {
    throw new GatewayError('BadRequest', '$id: expected with $entity, found no such option', {
      target: '$id',
    });
  }
  const projection = path.kind === 'entity' && path.typeName === undefined && projectionOf(options);
  if (projection) refuseOption(projection, 'a type behind $entity');
  if (path.kind !== 'metadata' && path.kind !== 'batch' && path.kind !== 'serviceRoot') return;
  const option = Object.keys(options).find((name) => !DOCUMENT_OPTIONS.has(name));
  if (option === undefined) return;
  refuseOption(`$${option.toLowerCase()}`, 'no such option with this resource');
}

/** entityOptions of the ABNF: which properties there are to select and expand, only a type says. */
function projectionOf({ select, expand }: QueryOptions): string | undefined {
  if (select !== undefined) return '$select';
  return expand === undefined ? undefined : '$expand';
}

function refuseOption(target: string, expected: string): never {
  throw new GatewayError('BadRequest', `${target}: expected ${expected}`, { target });
}
