import type { ComputeItem } from '../../engine/tree/expression-tree.ts';
import type { Cursor } from './cursor.ts';
import { parseExpression } from './expression.ts';

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
