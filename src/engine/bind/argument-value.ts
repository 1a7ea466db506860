import { GatewayError } from '../../contract/gateway-error.ts';
import type { Row, Value } from '../../contract/row.ts';
import { type EnumerationType, isComparable, type TypeUse } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import type { PrimitiveTypeName } from '../../model/type-use.ts';
import { quote } from '../scope/scope.ts';
import type { Expression, Literal } from '../tree/query-tree.ts';
import { parseEnumeration } from '../values/enumeration.ts';
import { isPrimitiveName, parsePrimitive } from '../values/primitive.ts';

export type Aliases = ReadonlyMap<string, Expression>;

/** The subject of an error: `Key of Post`, `Parameter Since`. */
type Subject = string;

/** The context for reading key and parameter values of a URL. */
export interface ArgumentReader {
  readonly model: Model;
  readonly aliases: Aliases;
}

/**
 * The value of a key property or a function's parameter (Part 2, 4.3.1 and 5.3): a literal of its type, a
 * parameter alias, or JSON for collections and complex values. What does not fit is a BadRequest.
 */
export function argumentValue(
  reader: ArgumentReader,
  use: TypeUse,
  expression: Expression,
  subject: Subject,
): Value {
  const written = expression.kind === 'alias' ? reader.aliases.get(expression.name) : expression;
  const value = written && expressionValue(reader, use, written, subject);
  if (value === undefined) throw mismatch(use, subject, foundText(expression, written));
  return value;
}

/**
 * The value of an argument that is bare text: a key segment (4.3.6), or a parameter that is given as a query option
 * (5.3).
 */
export function argumentOfText(
  reader: Pick<ArgumentReader, 'model'>,
  use: TypeUse,
  text: string,
  subject: Subject,
): Value {
  const value = valueOfText(reader, use, text);
  if (value === undefined) throw mismatch(use, subject, quote(text));
  return value;
}

function valueOfText(reader: Pick<ArgumentReader, 'model'>, use: TypeUse, text: string): Value | undefined {
  if (isUntyped(use)) return text;
  const type = primitiveOf(use);
  return type === undefined ? memberNames(reader, use, text) : parsePrimitive(type, text);
}

function expressionValue(
  reader: ArgumentReader,
  use: TypeUse,
  expression: Expression,
  subject: Subject,
): Value | undefined {
  if (expression.kind === 'literal' && expression.type === 'null') return use.nullable ? null : undefined;
  if (isUntyped(use) && (expression.kind === 'list' || !use.collection)) return untypedOf(expression);
  if (!use.collection) return singleValue(reader, use, expression, subject);
  if (expression.kind !== 'list') return undefined;
  return expression.items.map((item) =>
    argumentValue(reader, { ...use, collection: false }, item, `${subject}: each item`),
  );
}

function singleValue(
  reader: ArgumentReader,
  use: TypeUse,
  expression: Expression,
  subject: Subject,
): Value | undefined {
  if (expression.kind === 'object') return complexValue(reader, use, expression.members, subject);
  if (expression.kind !== 'literal') return undefined;
  if (use.type.kind === 'enumeration') {
    return isNamedOf(use.type, expression) ? parseEnumeration(use.type, expression.text) : undefined;
  }
  const type = primitiveOf(use);
  return type !== undefined && fits(expression, type) ? parsePrimitive(type, expression.text) : undefined;
}

function complexValue(
  reader: ArgumentReader,
  { type }: TypeUse,
  members: readonly { readonly name: string; readonly value: Expression }[],
  subject: Subject,
): Row | undefined {
  if (type.kind !== 'complex') return undefined;
  const values = members.map(({ name, value }) => {
    const property = type.structuralProperties.get(name);
    if (property === undefined) throw mismatch({ type, collection: false }, subject, quote(name));
    return [name, argumentValue(reader, property, value, `${subject}/${name}`)] as const;
  });
  return Object.fromEntries(values);
}

/** Whether a literal is named of the enumeration: with the type's name in front, or, as of 4.01, without. */
function isNamedOf({ namespace, name }: EnumerationType, { type, typeName }: Literal): boolean {
  if (type !== 'qualified') return type === 'Edm.String';
  return typeName === `${namespace}.${name}`;
}

function memberNames(
  { model }: Pick<ArgumentReader, 'model'>,
  { type }: TypeUse,
  text: string,
): string | undefined {
  const enumeration = type.kind === 'enumeration' ? model.enumerationTypes.get(type.name) : undefined;
  return enumeration && parseEnumeration(enumeration, text);
}

function isUntyped({ type }: TypeUse): boolean {
  return type.name === 'Edm.Untyped';
}

/** A literal of any type, or any JSON; undefined for an expression. */
function untypedOf(expression: Expression): Value | undefined {
  switch (expression.kind) {
    case 'literal':
      return literalValue(expression);
    case 'list': {
      const items = expression.items.map(untypedOf);
      return items.includes(undefined)
        ? undefined
        : items.flatMap((item) => (item === undefined ? [] : [item]));
    }
    case 'object': {
      const members = expression.members.map(({ name, value }) => [name, untypedOf(value)] as const);
      const isWhole = members.every(([, value]) => value !== undefined);
      return isWhole ? (Object.fromEntries(members) as Row) : undefined;
    }
    default:
      return undefined;
  }
}

function literalValue({ type, text }: Literal): Value {
  if (type === 'null') return null;
  return isPrimitiveName(type) ? (parsePrimitive(type, text) ?? text) : text;
}

function primitiveOf({ type }: TypeUse): PrimitiveTypeName | undefined {
  return type.kind === 'primitive' && isComparable(type.name) ? type.name : undefined;
}

/**
 * A literal's own type is the narrowest one: numbers also fit wider types, and as of 4.01 text in quotes fits
 * what is neither a number nor a Boolean (Part 1, 13.2.1).
 */
function fits({ type: found }: Literal, expected: PrimitiveTypeName): boolean {
  if (found === expected) return true;
  if (found === 'Edm.String') return expected !== 'Edm.Boolean' && !NUMERIC_LITERALS.has(expected);
  const widths = NUMERIC_LITERALS.get(expected);
  return widths?.includes(found) === true;
}

const INTEGERS = ['Edm.Int32', 'Edm.Int64'];
const NUMBERS = [...INTEGERS, 'Edm.Decimal', 'Edm.Double'];

const NUMERIC_LITERALS: ReadonlyMap<PrimitiveTypeName, readonly string[]> = new Map([
  ['Edm.SByte', INTEGERS],
  ['Edm.Byte', INTEGERS],
  ['Edm.Int16', INTEGERS],
  ['Edm.Int32', INTEGERS],
  ['Edm.Int64', INTEGERS],
  ['Edm.Decimal', NUMBERS],
  ['Edm.Single', NUMBERS],
  ['Edm.Double', NUMBERS],
]);

/** The found text, approximately as written. */
function foundText(expression: Expression, written: Expression | undefined): string {
  if (written === undefined) return expression.kind === 'alias' ? `no @${expression.name}` : 'nothing';
  switch (written.kind) {
    case 'literal':
      return written.type === 'Edm.String' ? quote(written.text) : written.text.slice(0, 100);
    case 'list':
    case 'object':
      return written.kind === 'list' ? 'an array' : 'an object';
    default:
      return 'an expression';
  }
}

function mismatch(
  { type, collection }: Pick<TypeUse, 'type' | 'collection'>,
  subject: Subject,
  found: string,
): GatewayError {
  const name = collection ? `Collection(${type.name})` : nameWithForm(type.name);
  return new GatewayError('BadRequest', `${subject}: expected a value of ${name}, found ${found}.`);
}

/** Numbers are often meant as text: a key may look like one. */
function nameWithForm(type: string): string {
  return type === 'Edm.String' ? `${type}, which stands in single quotes` : type;
}
