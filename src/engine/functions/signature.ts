import type { OpaqueTypeName, PrimitiveTypeName } from '../../model/type-use.ts';
import type { Same } from '../operators/equality.ts';
import type { BoundExpression, Evaluate } from '../scope/bound-tree.ts';
import type { ExpressionType } from '../typing/expression-type.ts';
import type { CurrentRun } from '../values/current-run.ts';

/** What a parameter takes: a type, any number, any collection, or a collection and what is in it. */
export type ParameterType = PrimitiveTypeName | OpaqueTypeName | 'numeric' | 'collection';

/** One overload of a canonical function. */
export interface Signature {
  readonly parameters: readonly ParameterType[];
  /** `argument` is the type of the first argument. */
  readonly result: ExpressionType | 'argument';
  readonly prepare: (call: CallSite) => Evaluate;
}

/** The call that a function is prepared for. */
export interface CallSite {
  readonly arguments: readonly BoundExpression[];
  readonly current: CurrentRun;
  readonly equalityOf: (type: ExpressionType) => Same;
  /** A BadRequest that points at the call. */
  readonly fail: (message: string) => never;
  /** A NotImplemented that points at the call. */
  readonly refuse: (what: string) => never;
}

/** An overload whose result depends on nothing but its arguments. */
export function signature(
  parameters: readonly ParameterType[],
  result: ExpressionType | 'argument',
  evaluate: Evaluate,
): Signature {
  return { parameters, result, prepare: () => evaluate };
}
