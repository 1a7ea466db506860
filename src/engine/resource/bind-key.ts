import { GatewayError } from '../../contract/gateway-error.ts';
import type { Row, Value } from '../../contract/row.ts';
import type { EntityType, StructuralProperty } from '../../model/edm.ts';
import { type ArgumentReader, argumentOfText, argumentValue } from '../bind/argument-value.ts';
import type { Argument, PathSegment } from '../tree/expression-tree.ts';
import { unknownResource } from './resource-error.ts';

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
