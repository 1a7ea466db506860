import type {
  EntityResource,
  PropertyResource,
  StreamResource,
  ValueResource,
} from '../../../engine/resource/resource.ts';
import { unknownResource } from '../../../engine/resource/resource-error.ts';
import type { NameSegment } from '../../../engine/tree/expression-tree.ts';
import type { StreamOperations, StructuralProperty } from '../../../model/edm.ts';
import { ofLineage } from '../../../model/edm.ts';
import { plainProperty } from '../../../model/plain-property.ts';

/** A structural property of an entity (Part 2, 4.6); a stream property is its stream. */
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

/** A property that an open type does not declare (CSDL 4.01, 6.3): an entity may have it or not. */
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

/** The upstream has none for a property of type Edm.Stream that the document does not tell more of. */
const NO_OPERATIONS: StreamOperations = {
  get: undefined,
  put: undefined,
  delete: undefined,
  contentType: undefined,
};

/** A property of a complex value. */
export function bindMember(value: ValueResource, segment: NameSegment): ValueResource {
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
