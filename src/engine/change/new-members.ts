import type { Row } from '../../contract/row.ts';
import type { EntitySet, NavigationProperty } from '../../model/edm.ts';
import type { NestedChange } from '../input/entity-input.ts';
import { readNewMembers } from '../input/read-input.ts';
import { NOTHING } from '../load/assert-parent-exists.ts';
import { demandEntity, loadEntity } from '../load/load.ts';
import { collectionOf } from '../resource/entity-set-resource.ts';
import { entityByKey } from '../resource/place.ts';
import type { EntityResource } from '../resource/resource.ts';
import type { Changing } from './compensation.ts';
import { insertAfter } from './deep-insert.ts';
import { planRelated, type RelatedInsertion } from './planned-insertion.ts';
import type { Step } from './planned-update.ts';

/** An entity of the set that is not related yet. */
export async function elsewhere(
  site: Changing,
  entitySet: EntitySet,
  key: Row,
): Promise<EntityResource | undefined> {
  const entity = entityByKey(collectionOf(entitySet), key);
  const found = await loadEntity(site, entity, NOTHING);
  return found === undefined ? undefined : entity;
}

interface PlannedCreation {
  readonly related: RelatedInsertion;
  readonly create: Step;
}

/** Members that are not there yet. */
export async function planNew(
  site: Changing,
  owner: EntityResource,
  property: NavigationProperty,
  members: readonly NestedChange[],
): Promise<PlannedCreation> {
  const { service } = site;
  const { type: entityType } = owner;
  const entities = readNewMembers(service.model, entityType, property, members, site.ofText);
  const related = await planRelated(site, owner, { entityType }, { property, entities });
  const properties = property.constraints.length > 0 ? [] : related.keys.map(({ own }) => own);
  const { data } = await demandEntity(site, owner, { properties, dynamic: false });
  const known = { ...owner.known, ...data };
  return { related, create: (done) => insertAfter(site, [related], { ...owner, known }, done) };
}
