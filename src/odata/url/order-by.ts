import type { OrderByItem } from '../../engine/tree/expression-tree.ts';
import type { Cursor } from './cursor.ts';
import { parseExpression } from './expression.ts';

/** orderby = orderbyItem *( COMMA orderbyItem ) (Part 2, 5.1.5). */
export function parseOrderBy(cursor: Cursor): readonly OrderByItem[] {
  let count = 0;
  return cursor.separated(',', () => {
    count += 1;
    if (count > cursor.limits.orderByItems) cursor.refuseMore('orderByItems', 'items', cursor.position);
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
