import type { Curve } from './curve.ts';
import { ROWS_CURVE } from './rows-curve.ts';

export const CURVES: readonly Curve[] = [ROWS_CURVE];
