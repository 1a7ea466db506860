import { GatewayError } from '../../contract/gateway-error.ts';
import { plainDigits, type Row, type Value } from '../../contract/row.ts';
import type { EntityType, StructuralProperty, ValueType } from '../../model/edm.ts';
import { type ArgumentReader, argumentOfText, argumentValue } from '../bind/argument-value.ts';
import type { Argument, PathSegment } from '../tree/query-tree.ts';
import { unknownResource } from './resource.ts';

/** Compiles the canonical URL of entities relative to the service root (Part 2, 4.3.1), percent-encoded. */
export function entityUrl(entitySet: string, entityType: EntityType): (row: Row) => string {
  return predicateWriter(entityType, entitySet);
}

/**
 * The key of an entity in parentheses, percent-encoded: one property without its name, several with theirs
 * in the order of the model.
 */
export function keyPredicate(entityType: EntityType, row: Row): string {
  return predicateWriter(entityType, '')(row);
}

function predicateWriter(entityType: EntityType, path: string): (row: Row) => string {
  const { key } = entityType;
  const [first] = key;
  if (first !== undefined && key.length === 1) return keyLiteral(entityType, first, `${path}(`, ')');
  const parts = key.map((name) => keyLiteral(entityType, name, `${name}=`, ''));
  return (row) => `${path}(${parts.map((part) => part(row)).join(',')})`;
}

/** The literal between two texts, which a plain string is joined to at once together with its quotes. */
function keyLiteral(
  { structuralProperties, namespace }: EntityType,
  name: string,
  before: string,
  after: string,
): (row: Row) => string {
  const type = structuralProperties.get(name)?.type;
  if (type === undefined) return () => `${before}null${after}`;
  const isString = type.name === 'Edm.String';
  const opened = `${before}'`;
  const closed = `'${after}`;
  return (row) => {
    const value = row[name] ?? null;
    if (isString && typeof value === 'string' && isUnreserved(value)) return opened + value + closed;
    const literal = primitiveLiteral(namespace, type, value);
    // No URL has half a surrogate pair: encoding it would throw.
    return before + (isUnreserved(literal) ? literal : encodeURIComponent(literal.toWellFormed())) + after;
  };
}

/** Whether all of it stands in a URL as it is: most keys do, and are too short for a regular expression to pay. */
function isUnreserved(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    if (UNRESERVED[text.charCodeAt(index)] !== true) return false;
  }
  return true;
}

/** The unreserved characters, without the apostrophe, which ends a string. */
const UNRESERVED: readonly boolean[] = Array.from({ length: 128 }, (_, code) =>
  /[\w.-]/.test(String.fromCharCode(code)),
);

/**
 * primitiveLiteral of the ABNF, in the form that 4.0 knows, too: with prefixes and quotes where it demands
 * them. The namespace is that of enumeration types.
 */
export function primitiveLiteral(namespace: string, type: ValueType, value: Value): string {
  if (value === null) return 'null';
  if (type.kind === 'enumeration') return `${namespace}.${type.name}'${String(value)}'`;
  switch (type.name) {
    case 'Edm.String':
      return quoted(String(value));
    case 'Edm.Duration':
      return `duration'${String(value)}'`;
    case 'Edm.Binary':
      return `binary'${String(value)}'`;
    case 'Edm.Decimal':
    case 'Edm.Int64':
      return plainDigits(String(value));
    case 'Edm.Double':
    case 'Edm.Single':
      return floatingLiteral(Number(value));
    default:
      return String(value);
  }
}

function quoted(text: string): string {
  return text.includes("'") ? `'${text.replaceAll("'", "''")}'` : `'${text}'`;
}

function floatingLiteral(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? 'INF' : '-INF';
}

/**
 * keyPredicate (Part 2, 4.3.1): one value without a name, or every property of the key by its name, in any
 * order. `given` is what the path before it has said already (4.3.4): those parts of the key may be left
 * out.
 */
export function bindKey(
  reader: ArgumentReader,
  type: EntityType,
  predicate: readonly Argument[],
  given: Row = {},
): Row {
  const open = type.key.filter((name) => !(name in given));
  const [only] = predicate;
  const isUnnamed = predicate.length === 1 && only !== undefined && only.name === undefined;
  const expected = isUnnamed && open.length === 1 ? open : type.key;
  const named = isUnnamed && expected.length === 1 ? [{ ...only, name: expected[0] }] : predicate;
  const missing = type.key.filter((name) => !named.some((argument) => argument.name === name));
  const isUnknown = named.some(({ name }) => name === undefined || !type.key.includes(name));
  if (isUnknown || missing.some((name) => !(name in given))) throw wrongKey(type);
  return Object.fromEntries(type.key.map((name) => [name, keyValue(reader, type, name, named, given)]));
}

function keyValue(
  reader: ArgumentReader,
  type: EntityType,
  name: string,
  predicate: readonly Argument[],
  given: Row,
): Value {
  const argument = predicate.find((candidate) => candidate.name === name);
  if (argument === undefined) return given[name] ?? null;
  return argumentValue(reader, keyProperty(type, name), argument.value, `Key of ${type.name}, ${name}`);
}

/** What the segments at the start of a path say of a key, and how many of them do. */
interface SegmentKey {
  readonly values: Row;
  readonly length: number;
}

/** Key as segment (Part 2, 4.3.6): unquoted, each part of the key that is not given yet, in their order. */
export function bindKeySegments(
  reader: ArgumentReader,
  type: EntityType,
  segments: readonly PathSegment[],
  given: Row = {},
): SegmentKey {
  const open = type.key.filter((name) => !(name in given));
  const parts = open.map((name, index) => [name, segmentValue(reader, type, name, segments, index)] as const);
  if (parts.length === 0) throw unknownResource(segments[0]);
  return { values: { ...given, ...Object.fromEntries(parts) }, length: parts.length };
}

/** What is no value of the key's type is no key, and thus no resource; nor is what has a part of it alone. */
function segmentValue(
  reader: ArgumentReader,
  type: EntityType,
  name: string,
  segments: readonly PathSegment[],
  index: number,
): Value {
  const segment = segments[index];
  if (segment?.kind !== 'name' || segment.arguments !== undefined)
    throw unknownResource(segment ?? segments[0]);
  try {
    return argumentOfText(reader, keyProperty(type, name), segment.name, name);
  } catch {
    throw unknownResource(segment);
  }
}

function keyProperty(type: EntityType, name: string): StructuralProperty {
  const property = type.structuralProperties.get(name);
  if (property === undefined) throw wrongKey(type);
  return property;
}

function wrongKey(type: EntityType): GatewayError {
  const key = type.key.join(' and ');
  return new GatewayError('BadRequest', `Key of ${type.name}: expected a value for ${key}, each once.`);
}
