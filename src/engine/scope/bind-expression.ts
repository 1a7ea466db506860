import type { Expression } from '../tree/expression-tree.ts';
import type { BoundExpression } from './bound-tree.ts';
import type { Scope } from './scope.ts';

/** The binder of all expressions, for those parts of it that bind what stands inside others. */
export type BindExpression = (node: Expression, scope: Scope) => BoundExpression;
