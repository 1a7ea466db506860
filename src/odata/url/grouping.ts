import type { GroupingItem, RecursiveGrouping } from '../../engine/tree/apply-tree.ts';
import { parseNames } from './aggregate.ts';
import type { Cursor, Parse } from './cursor.ts';

const ROLLUP_RECURSIVE = /rolluprecursive(?=\()/iy;
const ROLLUP = /rollup\(/iy;

type Grouping = GroupingItem | RecursiveGrouping;
type ParseRecursive = Parse<Pick<RecursiveGrouping, 'recursive' | 'start'>>;

/** The grouping properties of `groupby` (Data Aggregation 4.0, 3.2.3): OPEN item *( COMMA item ) CLOSE. */
export function parseGroupings(cursor: Cursor, parseRecursive: ParseRecursive): readonly Grouping[] {
  cursor.skipSpace();
  cursor.expect('(');
  const items = cursor.separated(',', () => parseGrouping(cursor, parseRecursive));
  cursor.skipSpace();
  cursor.expect(')');
  return items;
}

/** groupingProperty / rollupSpec / rolluprecursive. */
function parseGrouping(cursor: Cursor, parseRecursive: ParseRecursive): Grouping {
  const { position } = cursor;
  cursor.countNode(position);
  if (cursor.match(ROLLUP_RECURSIVE) !== undefined) return { position, ...parseRecursive(cursor) };
  if (cursor.match(ROLLUP) === undefined)
    return { position, rollup: false, paths: [parseGroupingPath(cursor)] };
  const paths = parseRollup(cursor);
  cursor.skipSpace();
  cursor.expect(')');
  return { position, rollup: true, paths };
}

/** [ '$all' COMMA ] path *( COMMA path ): what stands alone is a name, that of a leveled hierarchy among others. */
function parseRollup(cursor: Cursor): readonly (readonly string[])[] {
  cursor.skipSpace();
  const first = cursor.take('$all') ? ['$all'] : parseGroupingPath(cursor);
  if (cursor.takeSpaced(',')) return [first, ...cursor.separated(',', parseGroupingPath)];
  return first.length > 1 || first[0] === '$all' ? cursor.fail('a comma and a further property') : [first];
}

/** A path to a single value: it may lead over type casts, but not end in one. */
function parseGroupingPath(cursor: Cursor): readonly string[] {
  const path = parseNames(cursor);
  if (path.at(-1)?.includes('.')) cursor.fail('/ and a property');
  return path;
}
