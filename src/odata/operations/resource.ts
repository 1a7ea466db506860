import type { Row, Value } from '../../contract/entity-source.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { EntitySet, EntityType, Model, PrimitiveTypeName } from '../../model/edm.ts';
import { comparableType } from '../../model/readable-property.ts';
import type { Argument, Expression, NameSegment, PathSegment, ResourcePath } from '../url/tree.ts';

/** What a URL addresses: a resource path whose names are bound to the model. */
export type Resource =
  | { readonly kind: 'serviceDocument' }
  | { readonly kind: 'metadata' }
  | { readonly kind: 'collection'; readonly entitySet: EntitySet }
  | { readonly kind: 'count'; readonly entitySet: EntitySet }
  | { readonly kind: 'entity'; readonly entitySet: EntitySet; readonly key: Row };

type Aliases = ReadonlyMap<string, Expression>;

/**
 * Binds a resource path to the model (Part 2, 4). A name that the model does not know is NotFound, a key
 * that does not fit BadRequest, and what the standard knows but is not there yet NotImplemented.
 */
export function bindResource(model: Model, path: ResourcePath, aliases: Aliases): Resource {
  switch (path.kind) {
    case 'serviceRoot':
      return { kind: 'serviceDocument' };
    case 'metadata':
      return { kind: 'metadata' };
    case 'resource':
      return bindSegments(model, path.segments, aliases);
    case 'batch':
    case 'entity':
    case 'all':
    case 'crossjoin':
      throw notImplemented(`$${path.kind}`);
  }
}

function bindSegments(model: Model, segments: readonly PathSegment[], aliases: Aliases): Resource {
  const [first, ...rest] = segments;
  const entitySet = first?.kind === 'name' ? model.entitySets.get(first.name) : undefined;
  if (first?.kind !== 'name' || entitySet === undefined || first.key !== undefined)
    throw unknownResource(first);
  if (first.arguments !== undefined) {
    return bindEntity(entitySet, bindKey(entitySet.entityType, first.arguments, aliases), rest);
  }
  return bindCollection(entitySet, rest);
}

function bindCollection(entitySet: EntitySet, [next, ...rest]: readonly PathSegment[]): Resource {
  if (next === undefined) return { kind: 'collection', entitySet };
  if (next.kind === 'name' && next.arguments === undefined) {
    return bindEntity(entitySet, keyFromSegment(entitySet.entityType, next), rest);
  }
  if (next.kind !== 'count') throw notImplemented(describeSegment(next));
  if (rest.length > 0) throw unknownResource(rest[0]);
  if (next.filter !== undefined || next.search !== undefined) {
    throw notImplemented('/$count with options in parentheses');
  }
  return { kind: 'count', entitySet };
}

function bindEntity(entitySet: EntitySet, key: Row, [next]: readonly PathSegment[]): Resource {
  if (next === undefined) return { kind: 'entity', entitySet, key };
  if (
    next.kind === 'name' &&
    !entitySet.entityType.structuralProperties.has(next.name) &&
    !next.name.includes('.')
  ) {
    throw unknownResource(next);
  }
  throw notImplemented(describeSegment(next));
}

/** keyPredicate: one value without a name, or every property of the key by its name, in any order. */
function bindKey(type: EntityType, predicate: readonly Argument[], aliases: Aliases): Row {
  const [only] = predicate;
  const unnamed = predicate.length === 1 && type.key.length === 1 && only?.name === undefined;
  const named = unnamed && only !== undefined ? [{ ...only, name: type.key[0] }] : predicate;
  const wrong = named.find(({ name }) => name === undefined || !type.key.includes(name));
  if (wrong !== undefined || named.length !== type.key.length) throw wrongKey(type);
  return Object.fromEntries(type.key.map((name) => [name, keyValue(type, name, named, aliases)]));
}

function keyValue(type: EntityType, name: string, predicate: readonly Argument[], aliases: Aliases): Value {
  const argument = predicate.find((candidate) => candidate.name === name);
  if (argument === undefined) throw wrongKey(type);
  const expected = comparableType(type.structuralProperties.get(name)) ?? 'Edm.String';
  const value = resolveAlias(argument.value, aliases);
  if (value?.kind !== 'literal' || !isOfType(value.type, expected)) {
    throw new GatewayError(
      'BadRequest',
      `Key of ${type.name}: expected a literal of ${expected} for ${name}.`,
    );
  }
  return toKeyValue(value.text, expected);
}

/** Key as segment (Part 2, 4.3.6): unquoted, and only where the key is a single property. */
function keyFromSegment(type: EntityType, segment: NameSegment): Row {
  const [name] = type.key;
  if (name === undefined || type.key.length > 1) throw unknownResource(segment);
  const value = toKeyValue(segment.name, comparableType(type.structuralProperties.get(name)) ?? 'Edm.String');
  if (Number.isNaN(value)) throw unknownResource(segment);
  return { [name]: value };
}

function toKeyValue(text: string, type: PrimitiveTypeName): Value {
  switch (type) {
    case 'Edm.Byte':
    case 'Edm.SByte':
    case 'Edm.Int16':
    case 'Edm.Int32':
      return Number(text);
    case 'Edm.Boolean':
      return text === 'true';
    default:
      return text;
  }
}

function isOfType(found: string, expected: PrimitiveTypeName): boolean {
  if (found === expected) return true;
  if (expected === 'Edm.Int64' || expected === 'Edm.Decimal')
    return found === 'Edm.Int32' || found === 'Edm.Int64';
  return (
    found === 'Edm.Int32' && (expected === 'Edm.Byte' || expected === 'Edm.SByte' || expected === 'Edm.Int16')
  );
}

function resolveAlias(value: Expression, aliases: Aliases): Expression | undefined {
  return value.kind === 'alias' ? aliases.get(value.name) : value;
}

function wrongKey(type: EntityType): GatewayError {
  return new GatewayError(
    'BadRequest',
    `Key of ${type.name}: expected a value for ${type.key.join(' and ')}, each once.`,
  );
}

function unknownResource(segment: PathSegment | undefined): GatewayError {
  const found = segment === undefined ? 'nothing' : describeSegment(segment);
  return new GatewayError('NotFound', `There is no resource ${found} here.`);
}

function notImplemented(what: string): GatewayError {
  return new GatewayError('NotImplemented', `${what} is not implemented yet.`);
}

function describeSegment(segment: PathSegment): string {
  switch (segment.kind) {
    case 'name':
      return `"${segment.name.slice(0, 100)}"`;
    case 'annotation':
      return `"@${segment.term.slice(0, 100)}"`;
    case 'lambda':
      return segment.operator;
    case 'aggregate':
      return segment.kind;
    case 'system':
      return `/$${segment.name}`;
    case 'count':
    case 'filter':
      return `/$${segment.kind}`;
  }
}
