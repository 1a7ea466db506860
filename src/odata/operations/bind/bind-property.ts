import { GatewayError } from '../../../contract/gateway-error.ts';
import {
  type EntityResource,
  notImplemented,
  type PropertyResource,
  type StreamResource,
  unknownResource,
  type ValueResource,
} from '../../../engine/resource/resource.ts';
import type { CountSegment, NameSegment, PathSegment } from '../../../engine/tree/query-tree.ts';
import {
  ofLineage,
  plainProperty,
  type StreamOperations,
  type StructuralProperty,
} from '../../../model/edm.ts';
import type { CountResource, Resource } from './resource.ts';

/** A structural property of an entity (Part 2, 4.6); a stream property is bound to its stream. */
export function bindProperty(
  entity: EntityResource,
  property: StructuralProperty,
): ValueResource | StreamResource {
  const { name, type, writeOnly, computed, immutable } = property;
  if (type.name === 'Edm.Stream') return streamProperty(entity, name);
  const { key } = entity.type;
  const isFixed =
    computed || immutable || key.includes(name) || entity.update?.nonUpdatableProperties?.includes(name);
  return {
    kind: 'value',
    url: `${entity.url}/${encodeURIComponent(name)}`,
    use: property,
    mediaType: property.mediaType,
    origin: { kind: 'property', entity, path: [name], readable: !writeOnly, settable: isFixed !== true },
  };
}

/** An undeclared property of an open type (CSDL 4.01, 6.3), which an entity may lack. */
export function bindDynamicProperty(
  entity: EntityResource,
  { name, arguments: given }: NameSegment,
): ValueResource | undefined {
  const { open } = entity.type;
  if (!open || given !== undefined || name.includes('.')) return undefined;
  return {
    kind: 'value',
    url: `${entity.url}/${encodeURIComponent(name)}`,
    use: plainProperty(name, UNTYPED),
    dynamic: true,
    origin: { kind: 'property', entity, path: [name], readable: true, settable: false },
  };
}

const UNTYPED = { type: { kind: 'primitive', name: 'Edm.Untyped' }, collection: false } as const;

function streamProperty(entity: EntityResource, name: string): StreamResource {
  const { type } = entity;
  const operations = ofLineage(type, ({ streams }) => streams?.get(name)) ?? NO_OPERATIONS;
  return { kind: 'stream', origin: { kind: 'entity', entity, operations } };
}

/** The upstream has no operations for a stream property that the document does not describe. */
const NO_OPERATIONS: StreamOperations = {
  get: undefined,
  put: undefined,
  delete: undefined,
  contentType: undefined,
};

function bindMember(value: ValueResource, segment: NameSegment): ValueResource {
  const { use, origin } = value;
  const type = use.type.kind === 'complex' && !use.collection ? use.type : undefined;
  const property =
    use.type.name === UNTYPED.type.name
      ? plainProperty(segment.name, UNTYPED)
      : type?.structuralProperties.get(segment.name);
  if (property === undefined || segment.arguments !== undefined) throw unknownResource(segment);
  const path = [...origin.path, segment.name];
  return {
    kind: 'value',
    url: `${value.url}/${encodeURIComponent(segment.name)}`,
    use: property,
    dynamic: use.type.name === UNTYPED.type.name,
    mediaType: property.mediaType,
    origin: origin.kind === 'call' ? { ...origin, path } : { ...origin, path, ...access(origin, property) },
  };
}

function access(
  { readable, settable }: PropertyResource['origin'],
  { writeOnly, computed, immutable }: StructuralProperty,
): Pick<PropertyResource['origin'], 'readable' | 'settable'> {
  return { readable: readable && !writeOnly, settable: settable && !computed && !immutable };
}

/** The segment after a value that is not an entity (Part 2, 4.6 to 4.8). */
export function afterValue(value: ValueResource, segment: PathSegment): Resource {
  const { type, collection } = value.use;
  if (segment.kind === 'name') {
    return collection && isOrdinal(segment) ? bindItem(value, segment) : bindMember(value, segment);
  }
  if (value.origin.kind === 'property' && !value.origin.readable) throw unknownResource(segment);
  if (segment.kind === 'count' && collection) return countOf(value, segment);
  if (collection && segment.kind === 'system' && segment.name === 'each')
    throw notImplemented('/$each of values', '/$each');
  if (segment.kind !== 'system' || segment.name !== 'value') throw unknownResource(segment);
  if (type.name === 'Edm.Untyped') throw notImplemented('/$value of what has no type', '/$value');
  if (type.kind === 'complex' || collection) throw noRawValue();
  return { kind: 'rawValue', of: value };
}

/** ordinalIndex (4.10): from the start, or from the end if negative. */
function isOrdinal({ name, arguments: given }: NameSegment): boolean {
  return given === undefined && /^-?\d+$/.test(name);
}

/** An item of a collection by its index in the upstream's order. */
function bindItem(
  { url, use, dynamic, mediaType, origin }: ValueResource,
  { name }: NameSegment,
): ValueResource {
  const path = [...origin.path, name];
  return {
    kind: 'value',
    url: `${url}/${name}`,
    use: { ...use, collection: false },
    ...(dynamic === true && { dynamic }),
    mediaType,
    origin: origin.kind === 'call' ? { ...origin, path } : { ...origin, path, settable: false },
  };
}

/** `/$count` with the options in its parentheses (4.8). */
export function countOf(of: CountResource['of'], { filter, search }: CountSegment): CountResource {
  const conditions = { ...(filter && { filter }), ...(search && { search }) };
  return { kind: 'count', of, conditions };
}

/** Part 1, 11.2.4.1: only media entities, streams and single primitive values have a raw value. */
export function noRawValue(): GatewayError {
  return new GatewayError('BadRequest', '/$value: expected a media entity or a single primitive value.');
}
