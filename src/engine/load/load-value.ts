import type { Snapshot } from '../../contract/entity-source.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import { ownValue, type Value } from '../../contract/row.ts';
import { etagProperty } from '../../model/edm.ts';
import type { LoadContext } from '../resource/load-context.ts';
import { type EntityResource, missingOwner, type ValueResource } from '../resource/resource.ts';
import { stateTag } from './entity-state.ts';
import { callOperation, requireEntity } from './load.ts';

/** A value, and the entity tag of what it is a property of. */
export interface LoadedValue extends Snapshot<Value> {
  readonly tag?: string | undefined;
}

/** A value that is no entity. Behind null there is null. `whole`: nothing may be left out of it. */
export async function loadValue(
  loading: LoadContext,
  { origin, url }: ValueResource,
  whole = false,
): Promise<LoadedValue> {
  if (origin.kind === 'call') {
    const { data, version } = await callOperation(loading, origin.call);
    return { data: valueAt(data, origin.path, url), version };
  }
  const [first = ''] = origin.path;
  const { entity } = origin;
  const { type } = entity;
  const etag = etagProperty(type);
  const dynamic = !type.structuralProperties.has(first);
  const declared = dynamic ? type.key : [first];
  const properties = etag === undefined || etag === first ? declared : [...declared, etag];
  const found = await requireEntity(loading, entity, { properties, dynamic, whole });
  if (dynamic && !Object.hasOwn(found.data, first)) throw unknownProperty(entity, first);
  return {
    data: valueAt(found.data, origin.path, url),
    version: found.version,
    tag: stateTag(found, etag),
  };
}

/** An item that a collection does not have is NotFound. */
function valueAt(value: Value, path: readonly string[], url: string): Value {
  return path.reduce<Value>((found, name) => {
    const member = Array.isArray(found) ? itemAt(found, name) : ownValue(found, name);
    if (member === undefined) throw missingOwner(url);
    return member;
  }, value);
}

/** The places of items are counted from the start, or where they are negative from the end (Part 2, 4.10). */
function itemAt(items: readonly Value[], place: string): Value | undefined {
  return items.at(Number(place));
}

function unknownProperty({ url }: EntityResource, name: string): GatewayError {
  return new GatewayError('NotFound', `${decodeURIComponent(url)} has no property "${name.slice(0, 100)}".`);
}
