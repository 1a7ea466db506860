import { GatewayError } from '../../contract/gateway-error.ts';
import type {
  Expression,
  FilterSegment,
  NameSegment,
  PathSegment,
  QueryOptions,
  SystemSegment,
} from '../../engine/tree/query-tree.ts';
import { Cursor, DEFAULT_URL_LIMITS, limitName, type UrlLimits } from './cursor.ts';
import { parseExpression } from './expression.ts';
import { parseArray, parseObject } from './literals.ts';
import { parseAnnotation, parseArguments, parseCount, parseFilter, parseKeyValue } from './member-path.ts';
import { decodePiece, parseQueryOptions } from './query-options.ts';

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
  assertNoFragment(target);
  const mark = target.indexOf('?');
  const path = parsePath(mark < 0 ? target : target.slice(0, mark), limits);
  const options = parseQueryOptions(mark < 0 ? '' : target.slice(mark + 1), limits);
  checkOptions(path, options);
  return { path, options };
}

/** A fragment is for the client alone: a `#` that is meant must be percent-encoded. */
function assertNoFragment(target: string): void {
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
  if (projection) throwOptionError(projection, 'a type after $entity');
  if (path.kind !== 'metadata' && path.kind !== 'batch' && path.kind !== 'serviceRoot') return;
  const option = Object.keys(options).find((name) => !DOCUMENT_OPTIONS.has(name));
  if (option === undefined) return;
  throwOptionError(`$${option.toLowerCase()}`, 'no such option with this resource');
}

/** entityOptions of the ABNF: which properties there are to select and expand, only a type says. */
function projectionOf({ select, expand }: QueryOptions): string | undefined {
  if (select !== undefined) return '$select';
  return expand === undefined ? undefined : '$expand';
}

function throwOptionError(target: string, expected: string): never {
  throw new GatewayError('BadRequest', `${target}: expected ${expected}`, { target });
}

/** The path of a request, below the service root. */
export type ResourcePath =
  | { readonly kind: 'serviceRoot' }
  | { readonly kind: 'metadata' }
  | { readonly kind: 'batch' }
  | { readonly kind: 'entity'; readonly typeName: string | undefined }
  | { readonly kind: 'all'; readonly typeName: string | undefined }
  | {
      readonly kind: 'crossjoin';
      readonly entitySets: readonly string[];
      readonly segments: readonly PathSegment[];
    }
  | { readonly kind: 'resource'; readonly segments: readonly PathSegment[] };

const SYSTEM_NAME = /\$[a-z]*/iy;

/** resourcePath and the fixed paths beside it (ABNF, odataRelativeUri): everything below the service root. */
function parseResourcePath(cursor: Cursor): ResourcePath {
  if (cursor.done) return { kind: 'serviceRoot' };
  const path = cursor.at('$') ? parseSystemPath(cursor) : parseNamedPath(cursor);
  if (!cursor.done) cursor.fail('the end of the path');
  return path;
}

/** $batch, $metadata, $entity, $all, $crossjoin: they stand first or not at all. */
function parseSystemPath(cursor: Cursor): ResourcePath {
  const { position } = cursor;
  const name = cursor.match(SYSTEM_NAME);
  switch (name) {
    case '$batch':
      return { kind: 'batch' };
    case '$metadata':
      return { kind: 'metadata' };
    case '$entity':
      return { kind: 'entity', typeName: parseCast(cursor) };
    case '$all':
      return { kind: 'all', typeName: parseCast(cursor) };
    case '$crossjoin':
      return parseCrossjoin(cursor);
    default:
      return cursor.fail('the name of a resource', position);
  }
}

/** [ "/" optionallyQualifiedEntityTypeName ]. */
function parseCast(cursor: Cursor): string | undefined {
  return takeSlash(cursor) ? cursor.expectQualifiedName("a type's name") : undefined;
}

/** crossjoin = '$crossjoin' OPEN entitySetName *( COMMA entitySetName ) CLOSE, with $count or $query (4.15). */
function parseCrossjoin(cursor: Cursor): ResourcePath {
  cursor.expect('(');
  const entitySets = cursor.separated(',', () => cursor.expectIdentifier("an entity set's name"));
  cursor.skipSpace();
  cursor.expect(')');
  const { position } = cursor;
  const segments = parseTail(cursor);
  if (segments.length > 0 && !isEnd(segments[0])) cursor.fail('/$count or /$query', position);
  return { kind: 'crossjoin', entitySets, segments };
}

function isEnd(segment: PathSegment | undefined): boolean {
  return segment?.kind === 'count' || (segment?.kind === 'system' && segment.name === 'query');
}

/** entitySetName, singletonEntity, operation import, and what leads on from them. */
function parseNamedPath(cursor: Cursor): ResourcePath {
  const { position } = cursor;
  const first = parseParentheses(cursor, position, cursor.expectQualifiedName('the name of a resource'));
  return { kind: 'resource', segments: [first, ...parseTail(cursor)] };
}

function parseTail(cursor: Cursor): readonly PathSegment[] {
  const segments: PathSegment[] = [];
  while (takeSlash(cursor)) {
    cursor.countNode(cursor.position);
    const segment = parseSegment(cursor, segments.at(-1));
    segments.push(segment);
    if (endsPath(segment)) break;
  }
  return segments;
}

/** Nothing may follow $count, $ref, $value and $query. */
function endsPath(segment: PathSegment): boolean {
  return segment.kind === 'count' || (segment.kind === 'system' && segment.name !== 'each');
}

/** A slash that separates segments: an encoded one is part of a key. */
function takeSlash(cursor: Cursor): boolean {
  return cursor.slashes.has(cursor.position) && cursor.take('/');
}

/** A $-segment goes before a qualified name, that before a name, and that before a key (4.3.6). */
function parseSegment(cursor: Cursor, previous: PathSegment | undefined): PathSegment {
  const { position } = cursor;
  if (cursor.at('$') && !isEach(previous)) return parseSystemSegment(cursor, position);
  if (isEach(previous)) return parseParentheses(cursor, position, cursor.expectQualifiedName('an operation'));
  const annotation = takeAnnotation(cursor);
  if (annotation !== undefined) return annotation;
  const name = cursor.takeQualifiedName();
  if (name !== undefined && (atEnd(cursor) || cursor.at('(')))
    return parseParentheses(cursor, position, name);
  cursor.position = position;
  return parseKeySegment(cursor, position);
}

function isEach(segment: PathSegment | undefined): boolean {
  return segment?.kind === 'system' && segment.name === 'each';
}

function atEnd(cursor: Cursor): boolean {
  return cursor.done || cursor.slashes.has(cursor.position);
}

/** count / ref / value / each / querySegment / filterInPath. */
function parseSystemSegment(cursor: Cursor, position: number): PathSegment {
  const name = cursor.match(SYSTEM_NAME);
  switch (name) {
    case '$filter':
      return withKey(cursor, parseFilter(cursor, position, parseExpression));
    case '$count':
      return parseCount(cursor, position, parseExpression);
    case '$ref':
    case '$value':
    case '$each':
    case '$query':
      return { kind: 'system', position, name: name.slice(1) as SystemSegment['name'] };
    default:
      return cursor.fail('$filter, $count, $ref, $value, $each or $query', position);
  }
}

/** annotationInUri: with a namespace. Without one, the text is a key. */
function takeAnnotation(cursor: Cursor): PathSegment | undefined {
  const { position } = cursor;
  const qualified = cursor.take('@') && cursor.takeQualifiedName()?.includes('.');
  cursor.position = position;
  return qualified ? parseAnnotation(cursor) : undefined;
}

/** keyPathLiteral: unquoted, and everything up to the next slash that is not encoded. */
function parseKeySegment(cursor: Cursor, position: number): NameSegment {
  let end = position;
  while (end < cursor.text.length && !cursor.slashes.has(end)) end += 1;
  const name = cursor.text.slice(position, end);
  if (name === '' || name === '.' || name === '..') cursor.fail('a name or a key');
  cursor.position = end;
  return { kind: 'name', position, name, arguments: undefined };
}

/** keyPredicate / functionParameters: in a path their values are literals, aliases or JSON. */
function parseParentheses(cursor: Cursor, position: number, name: string): NameSegment {
  const found = cursor.at('(') ? parseArguments(cursor, parseConstant) : undefined;
  const segment: NameSegment = { kind: 'name', position, name, arguments: found };
  return found ? withKey(cursor, segment) : segment;
}

/** The key in parentheses behind what gives a collection. */
function withKey<Segment extends NameSegment | FilterSegment>(cursor: Cursor, segment: Segment): Segment {
  return cursor.at('(') ? { ...segment, key: parseArguments(cursor, parseConstant) } : segment;
}

/** parameterValue = parameterAlias / primitiveLiteral / arrayOrObject. */
function parseConstant(cursor: Cursor): Expression {
  if (cursor.at('[')) return parseArray(cursor, parseExpression);
  return cursor.at('{') ? parseObject(cursor, parseExpression) : parseKeyValue(cursor);
}
