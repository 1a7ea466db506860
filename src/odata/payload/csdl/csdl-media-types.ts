import type { ComplexType, EntityType, StreamOperations } from '../../../model/edm.ts';
import { type Annotation, annotation, text } from './csdl-annotation.ts';

/** What may be put into a stream (Core.AcceptableMediaTypes), where the document says it. */
function acceptableMediaTypes(stream: StreamOperations | undefined): readonly Annotation[] {
  const types = stream?.mediaTypes ?? [];
  if (types.length === 0) return [];
  return [annotation('Core', 'AcceptableMediaTypes', { kind: 'collection', items: types.map(text) })];
}

/** Of a media entity's own stream. */
export function ownStreamAnnotations(type: EntityType | ComplexType): readonly Annotation[] {
  return 'stream' in type ? acceptableMediaTypes(type.stream) : [];
}

/** Of a stream property. */
export function streamPropertyAnnotations(
  type: EntityType | ComplexType,
  property: string,
): readonly Annotation[] {
  return 'streams' in type ? acceptableMediaTypes(type.streams?.get(property)) : [];
}
