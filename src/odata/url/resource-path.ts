import type {
  Expression,
  FilterSegment,
  NameSegment,
  PathSegment,
  SystemSegment,
} from '../../engine/tree/expression-tree.ts';
import { parseArguments, parseKeyValue } from './arguments.ts';
import type { Cursor } from './cursor.ts';
import { parseExpression } from './expression.ts';
import { parseAnnotation, parseCount, parseFilter } from './member-path.ts';
import { parseArray, parseObject } from './structured-literals.ts';

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
export function parseResourcePath(cursor: Cursor): ResourcePath {
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
