import type { Model } from '../../model/edm.ts';
import type { StructuralProperty } from '../../model/structured-type.ts';
import type { NameSegment } from '../url/tree.ts';
import type { EntityResource, StreamResource, ValueResource } from './resource.ts';
import { notImplemented, unknownResource } from './resource-error.ts';

/** A structural property of an entity (Part 2, 4.6); a stream property is its stream. */
export function bindProperty(
  entity: EntityResource,
  property: StructuralProperty,
): ValueResource | StreamResource {
  const { name, type, writeOnly } = property;
  if (type.name === 'Edm.Stream') return streamProperty(entity, name);
  if (writeOnly) throw notImplemented(`A read of the write-only "${name}"`);
  return {
    kind: 'value',
    url: `${entity.url}/${encodeURIComponent(name)}`,
    use: property,
    origin: { kind: 'property', entity, path: [name] },
  };
}

function streamProperty(entity: EntityResource, name: string): StreamResource {
  const operations = (entity.cast ?? entity.entityType).streams?.get(name);
  if (operations === undefined) throw notImplemented(`The stream "${name}"`);
  return { kind: 'stream', entity, operations };
}

/** A property of a complex value. */
export function bindMember(model: Model, value: ValueResource, segment: NameSegment): ValueResource {
  const { use, origin } = value;
  const type =
    use.type.kind === 'complex' && !use.collection ? model.complexTypes.get(use.type.name) : undefined;
  const property = type?.structuralProperties.get(segment.name);
  if (property === undefined || property.writeOnly || segment.arguments !== undefined) {
    throw unknownResource(segment);
  }
  return {
    kind: 'value',
    url: `${value.url}/${encodeURIComponent(segment.name)}`,
    use: property,
    origin: { ...origin, path: [...origin.path, segment.name] },
  };
}
