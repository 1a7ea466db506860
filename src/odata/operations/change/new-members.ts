import type { Row } from '../../../contract/entity-source.ts';
import type { NestedChange } from '../../../engine/change/entity-input.ts';
import { NOTHING } from '../../../engine/load/demand-owner.ts';
import { demandEntity, loadEntity } from '../../../engine/load/load.ts';
import { collectionOf } from '../../../engine/resource/entity-set-resource.ts';
import { memberOf } from '../../../engine/resource/place.ts';
import type { EntityResource } from '../../../engine/resource/resource.ts';
import type { EntitySet, EntityType } from '../../../model/edm.ts';
import type { NavigationProperty } from '../../../model/structured-type.ts';
import { readNewMembers } from '../../payload/body/request-body.ts';
import { bodyVersion } from '../../payload/negotiation/version.ts';
import { insertAfter } from './deep-insert.ts';
import { planRelated, type RelatedInsertion } from './planned-insertion.ts';
import type { Step } from './planned-update.ts';
import type { ChangeSite } from './undo-changes.ts';

/** An entity of the set that is not related yet. */
export async function elsewhere(
  { service, request }: ChangeSite,
  entitySet: EntitySet,
  key: Row,
): Promise<EntityResource | undefined> {
  const entity = memberOf(collectionOf(entitySet), key);
  const found = await loadEntity({ service, context: request }, entity, NOTHING);
  return found === undefined ? undefined : entity;
}

interface PlannedCreation {
  readonly related: RelatedInsertion;
  readonly create: Step;
}

/** Members that are not there yet. */
export async function planNew(
  site: ChangeSite,
  owner: EntityResource,
  property: NavigationProperty,
  members: readonly NestedChange[],
): Promise<PlannedCreation> {
  const { service, request } = site;
  const entityType: EntityType = owner.cast ?? owner.entityType;
  const type = service.model.entityTypes.get(property.entityType);
  if (type === undefined) throw new Error(`The model has no ${property.entityType}`);
  const entities = readNewMembers(
    service.model,
    entityType,
    type,
    property,
    members,
    bodyVersion(request.headers),
  );
  const related = await planRelated(site, owner, { entityType }, { property, entities });
  const properties = property.constraints.length > 0 ? [] : related.keys.map(({ own }) => own);
  const { data } = await demandEntity({ service, context: request }, owner, { properties, dynamic: false });
  const known = { ...owner.known, ...data };
  return { related, create: (done) => insertAfter(site, [related], { ...owner, known }, done) };
}
