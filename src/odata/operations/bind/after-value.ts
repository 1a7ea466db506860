import { GatewayError } from '../../../contract/gateway-error.ts';
import type { ValueResource } from '../../../engine/resource/resource.ts';
import { notImplemented, unknownResource } from '../../../engine/resource/resource-error.ts';
import type { CountSegment, NameSegment, PathSegment } from '../../../engine/tree/expression-tree.ts';
import { bindMember } from './bind-property.ts';
import type { CountResource, Resource } from './resource.ts';

/** What a path leads to behind a value that is no entity (Part 2, 4.6 to 4.8). */
export function afterValue(value: ValueResource, segment: PathSegment): Resource {
  const { type, collection } = value.use;
  if (segment.kind === 'name') {
    return collection && isOrdinal(segment) ? bindItem(value, segment) : bindMember(value, segment);
  }
  if (value.origin.kind === 'property' && !value.origin.readable) throw unknownResource(segment);
  if (segment.kind === 'count' && collection) return countOf(value, segment);
  if (collection && isEach(segment)) throw notImplemented('/$each of values', '/$each');
  if (segment.kind !== 'system' || segment.name !== 'value') throw unknownResource(segment);
  if (type.name === 'Edm.Untyped') throw notImplemented('/$value of what has no type', '/$value');
  if (type.kind === 'complex' || collection) throw noRawValue();
  return { kind: 'rawValue', of: value };
}

/** ordinalIndex (4.10): from the start, or where it is negative from the end. */
function isOrdinal({ name, arguments: given }: NameSegment): boolean {
  return given === undefined && /^-?\d+$/.test(name);
}

/** An item of a collection by its place: collections have the order in which the upstream gives them. */
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

function isEach(segment: PathSegment): boolean {
  return segment.kind === 'system' && segment.name === 'each';
}

/** `/$count` with what it says in parentheses (4.8). */
export function countOf(of: CountResource['of'], { filter, search }: CountSegment): CountResource {
  const conditions = { ...(filter && { filter }), ...(search && { search }) };
  return { kind: 'count', of, conditions };
}

/** Part 1, 11.2.4.1: only media entities, streams and single primitive values have one. */
export function noRawValue(): GatewayError {
  return new GatewayError('BadRequest', '/$value: expected a media entity or a single primitive value.');
}
