import { GatewayError } from '../../../contract/gateway-error.ts';
import type { EntitySet, EntityType, Model } from '../../../model/edm.ts';
import type { NavigationProperty } from '../../../model/structured-type.ts';
import type { PathSegment } from '../../url/tree.ts';
import { countOf } from './after-value.ts';
import type { CountResource, CrossjoinResource, ListedSet } from './resource.ts';
import { notImplemented, unknownResource } from './resource-error.ts';

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
  if (list === undefined) throw notImplemented(`$crossjoin of "${name}", which the upstream does not list,`);
  return { ...set, list };
}

function setTwice(name: string): GatewayError {
  return new GatewayError('BadRequest', `$crossjoin: expected each entity set once, found "${name}" twice.`);
}

/**
 * The model with a type for the combinations: it has a navigation property for each set. Where these stand in
 * the combinations' own rows, `origin` says so; else what options read behind them is noted by their names.
 */
export function withCombinations(
  model: Model,
  { sets }: CrossjoinResource,
  origin: (set: ListedSet) => NavigationProperty['origin'],
): { readonly model: Model; readonly type: EntityType } {
  const type: EntityType = {
    namespace: 'Edm',
    // No name of a model has a sign in it.
    name: `$crossjoin(${sets.map(({ name }) => name).join(',')})`,
    description: undefined,
    key: [],
    structuralProperties: new Map(),
    navigationProperties: new Map(sets.map((set) => [set.name, entityOfSet(set, origin(set))])),
    baseType: undefined,
    abstract: false,
    open: false,
    discriminator: undefined,
  };
  return { model: { ...model, entityTypes: new Map([...model.entityTypes, [type.name, type]]) }, type };
}

function entityOfSet(
  { name, entityType }: EntitySet,
  origin: NavigationProperty['origin'],
): NavigationProperty {
  return {
    name,
    description: undefined,
    entityType: entityType.name,
    collection: false,
    nullable: false,
    containsTarget: false,
    target: name,
    partner: undefined,
    constraints: [],
    origin,
    addReference: undefined,
    removeReference: undefined,
  };
}
