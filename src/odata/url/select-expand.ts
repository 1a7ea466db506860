import type {
  ComputeItem,
  ExpandItem,
  OrderByItem,
  SelectItem,
  SystemQueryOptions,
} from '../../engine/tree/query-tree.ts';
import { parseAnnotation, parseExpression } from './expression.ts';
import type { Cursor } from './lexer.ts';

/** `$levels`, and whether `max` was given. */
interface Levels {
  readonly levels: number;
  readonly isMost: boolean;
}

export interface NestedOptions extends SystemQueryOptions {
  readonly levels?: Levels;
}

/** The options in the parentheses of an item, with their source texts: `$top=2`. */
export interface WrittenOptions extends NestedOptions {
  readonly written: readonly string[];
}

export type NestedOption = keyof NestedOptions;

/** Parses `name=value *( SEMI name=value )`; names must be allowed and unique. */
type ParseNested = (cursor: Cursor, allowed: ReadonlySet<NestedOption>) => WrittenOptions;

// selectOption, expandCountOption, expandRefOption and expandOption of the ABNF.
const COUNT_OPTIONS = new Set<NestedOption>(['filter', 'search']);
const REF_OPTIONS = new Set<NestedOption>([...COUNT_OPTIONS, 'orderBy', 'skip', 'top', 'count']);
const SELECT_OPTIONS = new Set<NestedOption>([...REF_OPTIONS, 'compute', 'select', 'aliases']);
const EXPAND_OPTIONS = new Set<NestedOption>([...SELECT_OPTIONS, 'expand', 'apply', 'levels']);
const STAR_OPTIONS = new Set<NestedOption>(['levels']);
const STREAM_OPTIONS = new Set<NestedOption>();

const SIGNATURE = /\([ \t]*(?=\)|[\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}]+[ \t]*[,)])/uy;

/** select = selectItem *( COMMA selectItem ) (Part 2, 5.1.3). */
export function parseSelect(cursor: Cursor, parseNested: ParseNested): readonly SelectItem[] {
  return cursor.separated(',', () => parseSelectItem(cursor, parseNested));
}

/** selectItem = STAR / namespace ".*" / path [ OPEN selectOption *( SEMI selectOption ) CLOSE / signature ]. */
function parseSelectItem(cursor: Cursor, parseNested: ParseNested): SelectItem {
  const { position } = cursor;
  cursor.countNode(position);
  const path = [parseSelectName(cursor)];
  while (!path.at(-1)?.endsWith('*') && cursor.take('/')) path.push(parseSelectName(cursor));
  const parameters = takeSignature(cursor);
  if (parameters !== undefined) return { position, path, parameters, options: undefined };
  if (path.at(-1)?.endsWith('*') || !cursor.at('(')) return { position, path, options: undefined };
  const { written: _, ...options } = takeOptions(cursor, parseNested, SELECT_OPTIONS);
  return { position, path, options };
}

/** A name, an annotation, `*` or `Namespace.*`. */
function parseSelectName(cursor: Cursor): string {
  if (cursor.at('@')) return `@${parseAnnotation(cursor).term}`;
  if (cursor.take('*')) return '*';
  const name = cursor.expectQualifiedName('a property, an operation or *');
  return cursor.take('.*') ? `${name}.*` : name;
}

/** OPEN [ parameterName *( COMMA parameterName ) ] CLOSE: selects an overload of a function. */
function takeSignature(cursor: Cursor): readonly string[] | undefined {
  if (cursor.match(SIGNATURE) === undefined) return undefined;
  const names = cursor.at(')') ? [] : cursor.separated(',', () => cursor.expectIdentifier());
  cursor.expectSpaced(')');
  return names;
}

/** expand = expandItem *( COMMA expandItem ) (Part 2, 5.1.4). */
export function parseExpand(cursor: Cursor, parseNested: ParseNested): readonly ExpandItem[] {
  return cursor.nest('expandDepth', () => cursor.separated(',', () => parseExpandItem(cursor, parseNested)));
}

/** expandItem = path [ ref / count / "/$value" ] [ OPEN expandOption *( SEMI expandOption ) CLOSE ] / "$value". */
function parseExpandItem(cursor: Cursor, parseNested: ParseNested): ExpandItem {
  const { position } = cursor;
  cursor.countNode(position);
  if (cursor.take('$value'))
    return { position, path: [], form: 'stream', levels: undefined, options: undefined };
  const path = parseExpandPath(cursor);
  const form = path.at(-1) === '*' ? parseStarForm(cursor) : parseForm(cursor);
  if (!cursor.at('(')) return { position, path, form, levels: undefined, options: undefined };
  const { levels: asked, written, ...options } = takeOptions(cursor, parseNested, allowedOptions(path, form));
  const hasOptions = Object.keys(options).length > 0;
  const levels = path.at(-1) === '*' ? levelsOfAll(cursor, asked, position) : asked?.levels;
  return { position, path, form, levels, options: hasOptions ? options : undefined, written };
}

/** Maximum number of levels for `*`: each level multiplies the entities. */
const DEEPEST_STAR = 4;

function levelsOfAll(cursor: Cursor, asked: Levels | undefined, position: number): number | undefined {
  if (asked === undefined || asked.levels <= DEEPEST_STAR) return asked?.levels;
  return asked.isMost ? DEEPEST_STAR : cursor.fail(`at most ${DEEPEST_STAR} levels of *`, position);
}

/** Names up to a slash before `$ref`, `$count` or `$value`. */
function parseExpandPath(cursor: Cursor): readonly string[] {
  const path = [parseExpandName(cursor)];
  while (path.at(-1) !== '*' && !cursor.at('/$') && cursor.take('/')) path.push(parseExpandName(cursor));
  return path;
}

function parseExpandName(cursor: Cursor): string {
  if (cursor.at('@')) return `@${parseAnnotation(cursor).term}`;
  return cursor.take('*') ? '*' : cursor.expectQualifiedName('a navigation property or *');
}

const FORMS: Readonly<Record<string, ExpandItem['form']>> = { ref: 'ref', count: 'count', value: 'stream' };
const FORM = /\/\$(?:ref|count|value)/y;

function parseForm(cursor: Cursor): ExpandItem['form'] {
  const found = cursor.match(FORM);
  if (found === undefined && cursor.at('/')) cursor.fail('/$ref, /$count or /$value');
  return FORMS[found?.slice(2) ?? ''] ?? 'entities';
}

/** STAR [ ref / OPEN levels CLOSE ]: `*` allows neither a count nor a stream. */
function parseStarForm(cursor: Cursor): ExpandItem['form'] {
  if (cursor.take('/$ref')) return 'ref';
  if (cursor.at('/')) cursor.fail('/$ref or $levels in parentheses');
  return 'entities';
}

function allowedOptions(path: readonly string[], form: ExpandItem['form']): ReadonlySet<NestedOption> {
  if (form === 'ref') return REF_OPTIONS;
  if (form === 'count') return COUNT_OPTIONS;
  if (form === 'stream') return STREAM_OPTIONS;
  return path.at(-1) === '*' ? STAR_OPTIONS : EXPAND_OPTIONS;
}

function takeOptions(
  cursor: Cursor,
  parseNested: ParseNested,
  allowed: ReadonlySet<NestedOption>,
): WrittenOptions {
  return cursor.inParentheses(() => cursor.nest('depth', () => parseNested(cursor, allowed)));
}

const LEVELS = /max|[1-9]\d*/iy;

/** levels = "max" / oneToNine *DIGIT, limited to the depth of nested `$expand`. */
export function parseLevels(cursor: Cursor): Levels {
  const { position } = cursor;
  const found = cursor.match(LEVELS) ?? cursor.fail('a positive integer or max');
  const most = cursor.limits.expandDepth - cursor.expandDepth + 1;
  if (found.toLowerCase() === 'max') return { levels: most, isMost: true };
  const levels = Number(found);
  if (levels > most) cursor.failAtLimit('expandDepth', 'levels', position, most);
  return { levels, isMost: false };
}

/** orderby = orderbyItem *( COMMA orderbyItem ) (Part 2, 5.1.5). */
export function parseOrderBy(cursor: Cursor): readonly OrderByItem[] {
  let count = 0;
  return cursor.separated(',', () => {
    count += 1;
    if (count > cursor.limits.orderByItems) cursor.failAtLimit('orderByItems', 'items', cursor.position);
    return parseOrderByItem(cursor);
  });
}

/** orderbyItem = commonExpr [ RWS ( "asc" / "desc" ) ]. */
function parseOrderByItem(cursor: Cursor): OrderByItem {
  const { position } = cursor;
  const expression = parseExpression(cursor);
  const descending = cursor.takeSpacedWord('desc');
  const isDirected = descending || cursor.takeSpacedWord('asc');
  if (!isDirected && cursor.peekSpacedWord() !== undefined) {
    cursor.skipSpace();
    cursor.fail('asc, desc, a comma or the end');
  }
  return { position, expression, descending };
}

/** compute = computeItem *( COMMA computeItem ) (Part 2, 5.1.10). */
export function parseCompute(cursor: Cursor): readonly ComputeItem[] {
  return cursor.separated(',', parseComputeItem);
}

/** computeItem = commonExpr RWS "as" RWS computedProperty. */
function parseComputeItem(cursor: Cursor): ComputeItem {
  const { position } = cursor;
  return { position, expression: parseExpression(cursor), alias: expectAlias(cursor) };
}

/** RWS "as" RWS odataIdentifier. */
export function expectAlias(cursor: Cursor): string {
  if (!cursor.takeSpacedWord('as')) cursor.fail('as and an alias');
  if (!cursor.skipSpace()) cursor.fail('a space after as');
  return cursor.expectIdentifier('an alias');
}
