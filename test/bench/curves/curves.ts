import { COLUMNS_CURVE } from './columns-curve.ts';
import { CONNECTIONS_CURVE } from './connections-curve.ts';
import type { Curve } from './curve.ts';
import { DOCUMENT_CURVE } from './document-curve.ts';
import { ROWS_CURVE } from './rows-curve.ts';
import { SESSIONS_CURVE } from './sessions-curve.ts';
import { SETS_CURVE } from './sets-curve.ts';

export const CURVES: readonly Curve[] = [
  ROWS_CURVE,
  COLUMNS_CURVE,
  SETS_CURVE,
  DOCUMENT_CURVE,
  CONNECTIONS_CURVE,
  SESSIONS_CURVE,
];
