import { TYPE } from '../../contract/row.ts';
import type { EntityType } from '../../model/edm.ts';
import { isA } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import type { EntityResource } from '../resource/resource.ts';

/** Whether the entity is of the type, which its own may be derived from. */
export function isOfType(model: Model, { known, entityType }: EntityResource, wanted: EntityType): boolean {
  const type = known[TYPE] === undefined ? entityType : model.entityTypes.get(known[TYPE]);
  return type !== undefined && isA(type, wanted);
}
