import type {
  AliasExpression,
  Argument,
  BinaryExpression,
  BinaryOperator,
  CallExpression,
  CountSegment,
  Expression,
  ListExpression,
  Literal,
  LiteralType,
  NameSegment,
  PathExpression,
  PathSegment,
  Transformation,
  UnaryExpression,
} from '../../../src/engine/tree/query-tree.ts';

// The trees of the cases, in one line each. The first argument is always the position.

export function literal(position: number, type: LiteralType, text: string): Literal {
  return { kind: 'literal', position, type, text };
}

export function string(position: number, text: string): Literal {
  return literal(position, 'Edm.String', text);
}

export function int(position: number, value: number): Literal {
  return literal(position, 'Edm.Int32', String(value));
}

export function alias(position: number, name: string): AliasExpression {
  return { kind: 'alias', position, name };
}

export function name(position: number, text: string, found?: readonly Argument[]): NameSegment {
  return { kind: 'name', position, name: text, arguments: found };
}

export function argument(position: number, text: string | undefined, value: Expression): Argument {
  return { position, name: text, value };
}

export function count(position: number): CountSegment {
  return { kind: 'count', position, filter: undefined, search: undefined };
}

export function path(position: number, ...segments: readonly PathSegment[]): PathExpression {
  return { kind: 'path', position, root: undefined, segments };
}

export function rooted(
  position: number,
  root: PathExpression['root'],
  ...segments: readonly PathSegment[]
): PathExpression {
  return { kind: 'path', position, root, segments };
}

/** A path of one name. */
export function property(position: number, text: string): PathExpression {
  return path(position, name(position, text));
}

export function binary(
  position: number,
  operator: BinaryOperator,
  left: Expression,
  right: Expression,
): BinaryExpression {
  return { kind: 'binary', position, operator, left, right };
}

export function unary(
  position: number,
  operator: UnaryExpression['operator'],
  operand: Expression,
): UnaryExpression {
  return { kind: 'unary', position, operator, operand };
}

export function call(position: number, text: string, ...found: readonly Expression[]): CallExpression {
  return { kind: 'call', position, name: text, arguments: found };
}

export function list(position: number, ...items: readonly Expression[]): ListExpression {
  return { kind: 'list', position, items };
}

export function aliases(values: Readonly<Record<string, Expression>>): ReadonlyMap<string, Expression> {
  return new Map(Object.entries(values));
}

/** A transformation with the sequence inside it. */
export function followed<Outer>(
  outer: Outer,
  ...then: readonly Transformation[]
): Outer & { readonly then: readonly Transformation[] } {
  return { ...outer, then };
}
