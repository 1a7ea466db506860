import { rawJson, type Value } from '../../contract/row.ts';
import { ExactNumber } from '../../core/exact-number.ts';
import type {
  BinaryOperator,
  Expression,
  Literal,
  LiteralType,
  PathExpression,
  PathSegment,
} from '../../engine/tree/query-tree.ts';

/** Trees that were not parsed have no positions. */
const position = 0;

export function nameSegment(name: string): PathSegment {
  return { kind: 'name', name, arguments: undefined, position };
}

export function path(segments: readonly PathSegment[]): PathExpression {
  return { kind: 'path', root: undefined, segments, position };
}

export function lambda(operator: 'any' | 'all', variable?: string, predicate?: Expression): PathSegment {
  return { kind: 'lambda', operator, variable, predicate, position };
}

export function binary(operator: BinaryOperator, left: Expression, right: Expression): Expression {
  return { kind: 'binary', operator, left, right, position };
}

export function not(operand: Expression): Expression {
  return { kind: 'unary', operator: 'not', operand, position };
}

export function call(name: string, ...args: readonly Expression[]): Expression {
  return { kind: 'call', name, arguments: args, position };
}

/** Whether the value at the path has the type or a derived one; the entity itself for an empty path. */
export function isOf(segments: readonly PathSegment[], type: string): Expression {
  const named: Expression = { kind: 'type', name: type, collection: false, position };
  return segments.length === 0 ? call('isof', named) : call('isof', path(segments), named);
}

export function list(items: readonly Expression[]): Expression {
  return { kind: 'list', items, position };
}

/** A balanced tree of the operands, to limit its depth; undefined without operands. */
export function joined(operator: 'and' | 'or', operands: readonly Expression[]): Expression | undefined {
  if (operands.length < 2) return operands[0];
  const middle = Math.ceil(operands.length / 2);
  const [left, right] = [operands.slice(0, middle), operands.slice(middle)].map((half) =>
    joined(operator, half),
  );
  return left && right && binary(operator, left, right);
}

export const NULL: Literal = { kind: 'literal', type: 'null', text: 'null', position };
export const TRUE: Literal = { kind: 'literal', type: 'Edm.Boolean', text: 'true', position };
export const FALSE: Literal = { kind: 'literal', type: 'Edm.Boolean', text: 'false', position };

/** A literal of that type; values other than numbers and booleans are quoted. */
export function literal(type: string, value: Value): Literal {
  if (value === null) return NULL;
  const literalType = LITERALS.get(type) ?? 'Edm.String';
  return {
    kind: 'literal',
    type: literalType,
    text: typeof value === 'object' ? exactJson(value) : String(value),
    position,
  };
}

/** JSON with exact numbers. */
export function exactJson(value: unknown): string {
  return JSON.stringify(value, (_, each) => (each instanceof ExactNumber ? rawJson(each.text) : each));
}

const LITERALS: ReadonlyMap<string, LiteralType> = new Map<string, LiteralType>([
  ['Edm.Boolean', 'Edm.Boolean'],
  ['Edm.Byte', 'Edm.Int32'],
  ['Edm.SByte', 'Edm.Int32'],
  ['Edm.Int16', 'Edm.Int32'],
  ['Edm.Int32', 'Edm.Int32'],
  ['Edm.Int64', 'Edm.Int64'],
  ['Edm.Decimal', 'Edm.Decimal'],
  ['Edm.Single', 'Edm.Double'],
  ['Edm.Double', 'Edm.Double'],
]);
