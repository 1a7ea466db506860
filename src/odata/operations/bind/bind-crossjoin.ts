import { GatewayError } from '../../../contract/gateway-error.ts';
import type { CrossjoinResource, ListedSet } from '../../../engine/resource/resource.ts';
import { notImplemented, unknownResource } from '../../../engine/resource/resource-error.ts';
import type { PathSegment } from '../../../engine/tree/expression-tree.ts';
import type { Model } from '../../../model/model.ts';
import { countOf } from './after-value.ts';
import type { CountResource } from './resource.ts';

interface CrossjoinPath {
  readonly entitySets: readonly string[];
  readonly segments: readonly PathSegment[];
}

/** All combinations of the entities of sets (Part 2, 4.15), or how many there are. */
export function bindCrossjoin(
  model: Model,
  { entitySets: names, segments: [segment] }: CrossjoinPath,
): CrossjoinResource | CountResource {
  const double = names.find((name, index) => names.indexOf(name) !== index);
  if (double !== undefined) throw setTwice(double);
  const sets = names.map((name) => listedSet(model, name));
  const crossjoin: CrossjoinResource = { kind: 'crossjoin', sets };
  if (segment === undefined) return crossjoin;
  if (segment.kind !== 'count') throw unknownResource(segment);
  return countOf(crossjoin, segment);
}

function listedSet(model: Model, name: string): ListedSet {
  const set = model.entitySets.get(name);
  if (set === undefined) throw unknownResource({ kind: 'name', position: 0, name, arguments: undefined });
  const { list } = set;
  if (list === undefined)
    throw notImplemented(`$crossjoin of "${name}", which the upstream does not list,`, name);
  return { ...set, list };
}

function setTwice(name: string): GatewayError {
  return new GatewayError('BadRequest', `$crossjoin: expected each entity set once, found "${name}" twice.`);
}
