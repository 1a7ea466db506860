import type { ListOperation } from '../../operation.ts';
import type { EntityPlan } from '../edm-types/entity-plan.ts';
import type { EntitySetPlan } from './entity-set-plan.ts';
import { listedPlaceOf, type Place, placeOf } from './place.ts';

/** An entity set to be, with its name and the type of its entities. */
export interface SetDraft extends Pick<ListOperation, 'fixed' | 'over'> {
  readonly plan: EntitySetPlan;
  readonly entity: EntityPlan;
  readonly name: string;
}

/** The place of one entity of the set. */
export function placeOfSet({ plan: { list, read }, entity, name }: SetDraft): Place | undefined {
  if (read !== undefined) return placeOf(name, entity, read, undefined);
  return list && listedPlaceOf(name, entity, list.operation, undefined);
}
