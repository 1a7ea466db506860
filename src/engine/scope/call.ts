import type { Value } from '../../contract/row.ts';
import type { ExpressionType } from '../typing/expression-type.ts';
import {
  type BoundCall,
  type BoundConstant,
  type BoundExpression,
  constant,
  type Evaluate,
} from './bound-tree.ts';

/** An {@link Evaluate} as it is called: binding has seen to it that the arguments have the right types. */
export type Apply = (first: Value, second: Value, third: Value) => Value;

/** A call, or its value where all arguments are constant. */
export function call(
  name: string,
  type: ExpressionType,
  position: number,
  args: readonly BoundExpression[],
  evaluate: Evaluate,
): BoundExpression {
  const node: BoundCall = { kind: 'call', name, type, position, arguments: args, evaluate };
  return args.length > 0 && args.every(isConstant) ? fold(node, args) : node;
}

function isConstant(expression: BoundExpression): expression is BoundConstant {
  return expression.kind === 'constant';
}

function fold(node: BoundCall, args: readonly BoundConstant[]): BoundConstant {
  const [first = null, second = null, third = null] = args.map((argument) => argument.value);
  const isNull = args.some((argument) => argument.value === null);
  const value = isNull ? null : (node.evaluate as Apply)(first, second, third);
  return constant(value, node.type, node.position);
}
