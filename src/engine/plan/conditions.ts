import type { Row, Value } from '../../contract/row.ts';
import {
  type EntityType,
  expressionPath,
  isComparable,
  type StructuralProperty,
  type TypeUse,
} from '../../model/edm.ts';
import type { NarrowingParameter } from '../../model/operation.ts';
import { type ArgumentReader, argumentValue } from '../bind/argument-value.ts';
import { conjuncts } from '../query/pipeline.ts';
import type { PropertyCondition } from '../resource/read-needs.ts';
import type { BinaryOperator, Expression } from '../tree/query-tree.ts';

type BinaryExpression = Extract<Expression, { kind: 'binary' }>;
type PathExpression = Extract<Expression, { kind: 'path' }>;

/** The conditions that a filter puts on single properties, and whether there are no others. */
export function conditionsOf(
  reader: ArgumentReader,
  type: EntityType,
  filter: Expression | undefined,
): { readonly conditions: readonly PropertyCondition[]; readonly isWhole: boolean } {
  const terms = filter === undefined ? [] : conjuncts(resolved(reader, filter));
  const conditions = terms.flatMap((term) => conditionOf(reader, type, term) ?? []);
  return { conditions, isWhole: conditions.length === terms.length };
}

/** The value of a parameter alias, or the expression itself. */
function resolved({ aliases }: ArgumentReader, expression: Expression): Expression {
  return expression.kind === 'alias' ? (aliases.get(expression.name) ?? expression) : expression;
}

function conditionOf(
  reader: ArgumentReader,
  type: EntityType,
  term: Expression,
): PropertyCondition | undefined {
  if (term.kind === 'path') return anyElement(reader, type, term) ?? truth(type, term);
  if (term.kind !== 'binary') return undefined;
  if (term.operator === 'or') return either(reader, type, term);
  const { operator, path, value: operand } = comparison(term) ?? {};
  const use = path && comparableUse(type, path);
  if (path === undefined || operand === undefined || use === undefined) return undefined;
  if (operator === 'eq' || operator === 'in') {
    const written = operator === 'eq' ? [operand] : operand.kind === 'list' ? operand.items : [];
    const values = written.map((each) => literalValue(reader, use, each));
    const known = values.filter((value) => isSendable(value));
    const isKnown = known.length === values.length && known.length > 0;
    return isKnown ? { kind: 'in', path: canonical(type, path), values: [...new Set(known)] } : undefined;
  }
  const bound = operator === undefined ? undefined : BOUNDS.get(operator);
  const value = literalValue(reader, use, operand);
  if (bound === undefined || !isSendable(value) || use.type.kind === 'enumeration') return undefined;
  return { ...bound, path: canonical(type, path), value };
}

const BOUNDS: ReadonlyMap<BinaryOperator, { readonly kind: 'lower' | 'upper'; readonly inclusive: boolean }> =
  new Map([
    ['ge', { kind: 'lower', inclusive: true }],
    ['gt', { kind: 'lower', inclusive: false }],
    ['le', { kind: 'upper', inclusive: true }],
    ['lt', { kind: 'upper', inclusive: false }],
  ]);

const MIRRORED: ReadonlyMap<BinaryOperator, BinaryOperator> = new Map([
  ['eq', 'eq'],
  ['ge', 'le'],
  ['gt', 'lt'],
  ['le', 'ge'],
  ['lt', 'gt'],
]);

/** A comparison of a property with an expression, the property on the left. */
interface Comparison {
  readonly operator: BinaryOperator;
  readonly path: readonly string[];
  readonly value: Expression;
}

function comparison({ operator, left, right }: BinaryExpression): Comparison | undefined {
  const path = propertyPath(left);
  if (path !== undefined) return { operator, path, value: right };
  const mirrored = MIRRORED.get(operator);
  const other = propertyPath(right);
  return other && mirrored && { operator: mirrored, path: other, value: left };
}

/** A Boolean property as a condition by itself. */
function truth(type: EntityType, expression: Expression): PropertyCondition | undefined {
  const path = propertyPath(expression);
  const use = path && comparableUse(type, path);
  const isBoolean = use?.type.kind === 'primitive' && use.type.name === 'Edm.Boolean';
  return path && isBoolean ? { kind: 'in', path: canonical(type, path), values: [true] } : undefined;
}

/** `Tags/any(t:t eq 'x')`: an element of an array is one of some values. */
function anyElement(
  reader: ArgumentReader,
  type: EntityType,
  { segments, ...path }: PathExpression,
): PropertyCondition | undefined {
  const last = segments.at(-1);
  if (last?.kind !== 'lambda' || last.operator !== 'any') return undefined;
  const { variable, predicate } = last;
  const names = propertyPath({ ...path, segments: segments.slice(0, -1) });
  const use = names && propertyAt(type, names);
  if (names === undefined || variable === undefined || predicate === undefined) return undefined;
  if (use?.collection !== true || !isSingleValue(use)) return undefined;
  const values = elementValues(reader, { ...use, collection: false }, variable, predicate);
  return values && { kind: 'in', path: names, values: [...new Set(values)], ofElements: true };
}

/** The values of which the variable is one, if the predicate says nothing else. */
function elementValues(
  reader: ArgumentReader,
  use: TypeUse,
  variable: string,
  predicate: Expression,
): readonly Value[] | undefined {
  if (predicate.kind !== 'binary') return undefined;
  const { operator, left, right } = predicate;
  if (operator === 'or') {
    const [one, other] = [left, right].map((each) => elementValues(reader, use, variable, each));
    return one && other && [...one, ...other];
  }
  const isVariable = (each: Expression): boolean => propertyName(each) === variable;
  const compared = isVariable(left) ? right : isVariable(right) && operator === 'eq' ? left : undefined;
  if (compared === undefined || (operator !== 'eq' && operator !== 'in')) return undefined;
  const written = operator === 'eq' ? [compared] : compared.kind === 'list' ? compared.items : [];
  const values = written.map((each) => literalValue(reader, use, each)).filter(isSendable);
  return values.length === written.length && values.length > 0 ? values : undefined;
}

/** One of two conditions that are about values of the same property. */
function either(
  reader: ArgumentReader,
  type: EntityType,
  { left, right }: BinaryExpression,
): PropertyCondition | undefined {
  const one = conditionOf(reader, type, left);
  const other = one?.kind === 'in' ? conditionOf(reader, type, right) : undefined;
  if (one?.kind !== 'in' || other?.kind !== 'in' || !isSamePath(one.path, other.path)) return undefined;
  // Each may be met by another element.
  if (one.ofElements !== other.ofElements) return undefined;
  return { ...one, values: [...new Set([...one.values, ...other.values])] };
}

export function isSamePath(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, index) => name === other[index]);
}

/** Whether a parameter narrows a list by the property, or the elements, that a condition is about. */
export function isAbout(
  one: Pick<NarrowingParameter, 'path' | 'ofElements'>,
  other: PropertyCondition,
): boolean {
  const ofElements = other.kind === 'in' ? other.ofElements : undefined;
  return isSamePath(one.path, other.path) && one.ofElements === ofElements;
}

/** The names of a path that leads from the entity to a property; undefined for any other expression. */
function propertyPath(expression: Expression): readonly string[] | undefined {
  if (expression.kind !== 'path' || expression.root !== undefined || expression.alias !== undefined) {
    return undefined;
  }
  const names = expression.segments.flatMap((segment) =>
    segment.kind === 'name' && segment.arguments === undefined ? [segment.name] : [],
  );
  return names.length === expression.segments.length && names.length > 0 ? names : undefined;
}

/** The single value at a path that query options can compare with others; flags are compared by their bits. */
function comparableUse(type: EntityType, path: readonly string[]): StructuralProperty | undefined {
  const found = propertyAt(type, path);
  return found === undefined || found.collection || !isSingleValue(found) ? undefined : found;
}

function isSingleValue({ type }: TypeUse): boolean {
  if (type.kind === 'enumeration') return !type.flags;
  return type.kind === 'primitive' && isComparable(type.name);
}

/** The property that a path leads to, through single complex values. */
function propertyAt(type: EntityType, path: readonly string[]): StructuralProperty | undefined {
  const found = path.reduce<{ readonly use?: StructuralProperty; readonly in?: TypeUse['type'] }>(
    ({ in: holder }, name) => {
      const isStructured = holder?.kind === 'entity' || holder?.kind === 'complex';
      const use = isStructured ? holder.structuralProperties.get(name) : undefined;
      return use === undefined ? {} : { use, ...(!use.collection && { in: use.type }) };
    },
    { in: type },
  ).use;
  return found?.writeOnly === true ? undefined : found;
}

/** The path of a property: of an alias of a key, that of the property itself. */
function canonical({ structuralProperties }: EntityType, path: readonly string[]): readonly string[] {
  const [first, ...rest] = path;
  const property = rest.length === 0 ? structuralProperties.get(first ?? '') : undefined;
  return property === undefined ? path : expressionPath(property);
}

/** Undefined for what is no literal of that type: compiling the query reports the mistake. */
export function literalValue(
  reader: ArgumentReader,
  use: TypeUse,
  expression: Expression,
): Value | undefined {
  try {
    return argumentValue(reader, use, expression, '$filter');
  } catch {
    return undefined;
  }
}

function isSendable(value: Value | undefined): value is Value {
  return value !== undefined && value !== null && (typeof value !== 'number' || Number.isFinite(value));
}

/** Maximum number of keys that a filter is resolved to. */
const MOST_KEYS = 1_000;

/**
 * The keys of which every entity that the filter accepts has one, as values of the named properties; undefined if the
 * filter does not limit the keys. A listed key may belong to an entity that the filter rejects.
 */
export function keysOf(
  reader: ArgumentReader,
  type: EntityType,
  names: readonly string[],
  filter: Expression | undefined,
): readonly Row[] | undefined {
  if (filter === undefined || names.length === 0) return undefined;
  const rows = partialKeys(reader, type, names, resolved(reader, filter));
  const isKey = (row: Row): boolean =>
    names.every((name) => {
      const value = row[name];
      return value !== undefined && hasOneText(type.structuralProperties.get(name), value);
    });
  if (rows?.every(isKey) !== true) return undefined;
  if (rows.some((row) => Object.values(row).some(isPathRisk))) return undefined;
  return [...new Map(rows.map((row) => [keyText(row, names), row])).values()];
}

/** The values of a row under the names, as one text. */
export function keyText(row: Row, names: readonly string[]): string {
  return JSON.stringify(names.map((name) => String(row[name])));
}

/**
 * Whether values of the property that equal this one have the same text, so that an API finds an entity by any of them.
 * Of numbers with fractions, these are the integers: documents often declare ids as `number`.
 */
function hasOneText(use: TypeUse | undefined, value: Value): boolean {
  if (use === undefined) return false;
  if (/^Edm\.(?:Decimal|Double|Single)$/.test(use.type.name)) return Number.isSafeInteger(value);
  return use.type.kind === 'enumeration' || /^Edm\.(String|Guid|Boolean|S?Byte|Int\d+)$/.test(use.type.name);
}

/** A key that, as a segment of a path, leads to another resource than an entity. */
function isPathRisk(value: Value): boolean {
  return value === '' || value === '.' || value === '..';
}

function partialKeys(
  reader: ArgumentReader,
  type: EntityType,
  names: readonly string[],
  term: Expression,
): readonly Row[] | undefined {
  if (term.kind === 'binary' && (term.operator === 'and' || term.operator === 'or')) {
    const left = partialKeys(reader, type, names, term.left);
    const right = partialKeys(reader, type, names, term.right);
    if (left === undefined || right === undefined)
      return term.operator === 'and' ? (left ?? right) : undefined;
    const count = term.operator === 'or' ? left.length + right.length : left.length * right.length;
    if (count > MOST_KEYS) return undefined;
    if (term.operator === 'or') return [...left, ...right];
    return left.flatMap((one) => right.map((other) => ({ ...other, ...one })));
  }
  const condition = conditionOf(reader, type, term);
  if (condition?.kind !== 'in' || condition.ofElements === true) return undefined;
  const name = names.find((each) => isSamePath(canonical(type, [each]), condition.path));
  return name === undefined ? undefined : condition.values.map((value) => ({ [name]: value }));
}

/** The property that an expression is; undefined for any other expression. */
export function propertyName(expression: Expression): string | undefined {
  const [name, ...others] = propertyPath(expression) ?? [];
  return others.length === 0 ? name : undefined;
}

/** A property and the expression that a term compares it with by `eq`, on either side. */
export function equality(
  term: Expression,
): { readonly name: string; readonly equal: Expression } | undefined {
  if (term.kind !== 'binary' || term.operator !== 'eq') return undefined;
  const [left, right] = [propertyName(term.left), propertyName(term.right)];
  if (left !== undefined) return { name: left, equal: term.right };
  return right === undefined ? undefined : { name: right, equal: term.left };
}
