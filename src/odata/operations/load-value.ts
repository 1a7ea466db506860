import type { Row, Snapshot, Value } from '../../contract/entity-source.ts';
import { etagProperty, stateTag } from './entity-tag.ts';
import { callOperation, demandEntity, type Loading } from './load.ts';
import type { ValueResource } from './resource.ts';

/** A value, and the entity tag of what it is a property of. */
export interface LoadedValue extends Snapshot<Value> {
  readonly tag?: string | undefined;
}

/** A value that is no entity. Behind null there is null. */
export async function loadValue(loading: Loading, { origin }: ValueResource): Promise<LoadedValue> {
  if (origin.kind === 'call') {
    const { data, version } = await callOperation(loading, origin.call);
    return { data: valueAt(data, origin.path), version };
  }
  const [first = ''] = origin.path;
  const { entity } = origin;
  const etag = etagProperty(loading.service.model, entity.cast ?? entity.entityType);
  const properties = etag === undefined || etag === first ? [first] : [first, etag];
  const found = await demandEntity(loading, entity, { properties, dynamic: false });
  return {
    data: valueAt(found.data, origin.path),
    version: found.version,
    tag: stateTag(found, etag),
  };
}

function valueAt(value: Value, path: readonly string[]): Value {
  return path.reduce<Value>((found, name) => (found === null ? null : ((found as Row)[name] ?? null)), value);
}
