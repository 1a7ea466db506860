import type { Row, Snapshot, Value } from '../../contract/entity-source.ts';
import { callOperation, demandEntity, type Loading } from './load.ts';
import type { ValueResource } from './resource.ts';

/** A value that is no entity. Behind null there is null. */
export async function loadValue(loading: Loading, { origin }: ValueResource): Promise<Snapshot<Value>> {
  if (origin.kind === 'call') {
    const { data, version } = await callOperation(loading, origin.call);
    return { data: valueAt(data, origin.path), version };
  }
  const [first = ''] = origin.path;
  const wanted = { properties: [first], dynamic: false };
  const { data, version } = await demandEntity(loading, origin.entity, wanted);
  return { data: valueAt(data, origin.path), version };
}

function valueAt(value: Value, path: readonly string[]): Value {
  return path.reduce<Value>((found, name) => (found === null ? null : ((found as Row)[name] ?? null)), value);
}
