import { GatewayError } from '../../../contract/gateway-error.ts';
import { collectionOf } from '../../../engine/resource/entity-set-resource.ts';
import { castTo, findEntityType } from '../../../engine/resource/place.ts';
import type { CollectionResource } from '../../../engine/resource/resource.ts';
import type { EntitySet, EntityType } from '../../../model/edm.ts';
import { isA } from '../../../model/edm.ts';
import type { Model } from '../../../model/model.ts';
import type { AllResource } from './resource.ts';

/**
 * All entities of the service (Part 2, 4.14): those of the sets that can be read without a word on which of them are
 * meant. Of a type, they are often those of one set, which then is what is addressed.
 */
export function bindAll(model: Model, typeName: string | undefined): AllResource | CollectionResource {
  const sets = [...model.entitySets.values()].filter(isListedWhole).map(collectionOf);
  if (typeName === undefined) return { kind: 'all', type: undefined, collections: sets };
  const type = model.entityTypes.get(typeName) ?? findEntityType(model, typeName);
  if (type === undefined) throw new GatewayError('NotFound', `There is no entity type "${typeName}" here.`);
  const collections = sets.flatMap((set) => ofType(model, set, type) ?? []);
  const [only, another] = collections;
  return only !== undefined && another === undefined ? only : { kind: 'all', type, collections };
}

/** A list over all owners reads the list of each, and one with a filter that must be given cannot be read without. */
function isListedWhole({ list }: EntitySet): boolean {
  return list !== undefined && list.over === undefined && (list.fixed ?? []).length === 0;
}

function ofType(model: Model, set: CollectionResource, type: EntityType): CollectionResource | undefined {
  if (isA(set.entityType, type)) return set;
  return castTo(model, set, `${type.namespace}.${type.name}`);
}
