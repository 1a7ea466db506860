import type { Row } from '../../../contract/entity-source.ts';
import { GatewayError } from '../../../contract/gateway-error.ts';
import { arrayOf } from '../../../contract/rows.ts';
import type { EntitySet, EntityType } from '../../../model/edm.ts';
import type { NavigationProperty } from '../../../model/structured-type.ts';
import type { MemberChange, NestedChange, RelatedChanges } from '../../payload/body/entity-body.ts';
import { readNewMembers } from '../../payload/body/request-body.ts';
import { demandPrecondition } from '../entity-tag.ts';
import { demandEntity, loadEntity, missingEntity, operationArguments } from '../load/load.ts';
import { collectionOf } from '../resource/entity-set-resource.ts';
import { memberOf } from '../resource/place.ts';
import { relatedResource } from '../resource/related-resource.ts';
import type { CollectionResource, EntityResource } from '../resource/resource.ts';
import { insertAfter, planRelated, type RelatedInsertion } from './deep-insert.ts';
import { demandCollection, NOTHING } from './demand-owner.ts';
import { isSameKey, keyOfMember } from './member-key.ts';
import { notOffered } from './not-offered.ts';
import { linkPlanned, planLink, planUnlink } from './planned-link.ts';
import type { PlanNested } from './related-changes.ts';
import type { ChangeSite, Done } from './undo-changes.ts';

/** Something that is done upstream once all is checked; it notes what it has done. */
export type Step = (done: Done[]) => Promise<void>;

/** A collection of related entities, and those that are in it now. */
interface Members {
  readonly site: ChangeSite;
  readonly owner: EntityResource;
  readonly property: NavigationProperty;
  readonly place: CollectionResource;
  readonly present: readonly Row[];
}

/** A member with its key, as far as it is known. */
interface KeyedMember {
  readonly member: MemberChange;
  readonly key: Row | undefined;
}

/**
 * Checks what is to become of the entities behind a collection-valued navigation property. What is taken away comes
 * last: not all of it can be given back.
 */
export async function planMembers(
  site: ChangeSite,
  owner: EntityResource,
  { property, path, whole, members }: RelatedChanges,
  planNested: PlanNested,
): Promise<readonly Step[]> {
  const { service, request } = site;
  const place = relatedResource(service.model, owner, property);
  if (place.kind === 'entity') throw new Error(`${property.name} is no collection`);
  const { entityType } = place;
  const wanted = { properties: entityType.key, dynamic: false };
  const { data } = await demandCollection({ service, context: request }, place, wanted);
  const of: Members = { site, owner, property, place, present: arrayOf(data) };
  const keyed = await keyedMembers(of, members);
  const added: NestedChange[] = [];
  const steps: Step[] = [];
  for (const each of keyed) steps.push(...(await planMember(of, each, added, planNested)));
  if (added.length > 0) steps.push((await planNew(site, owner, property, added)).create);
  return [...steps, ...(await planRemovals(of, keyed, whole, path))];
}

async function keyedMembers(
  { site, place: { entityType } }: Members,
  members: readonly MemberChange[],
): Promise<readonly KeyedMember[]> {
  const keyed: KeyedMember[] = [];
  for (const member of members) {
    const named = member.kind === 'link' ? { link: member.link, key: {} } : member;
    const key = await keyOfMember(site, entityType, named);
    const isTwice = key && keyed.some((each) => each.key && isSameKey(entityType, each.key, key));
    if (isTwice) throw namedTwice(pathOf(member));
    keyed.push({ member, key });
  }
  return keyed;
}

function pathOf(member: MemberChange): string {
  return member.kind === 'link' ? member.link.target : member.path;
}

function namedTwice(target: string): GatewayError {
  const message = `${target}: expected each entity once, found it twice.`;
  return new GatewayError('BadRequest', message, { target });
}

/** What becomes or stays related. What is to be created is added to the list of that. */
async function planMember(
  of: Members,
  { member, key }: KeyedMember,
  added: NestedChange[],
  planNested: PlanNested,
): Promise<readonly Step[]> {
  const { site, owner, property, place } = of;
  const isPresent = key !== undefined && isAmong(of, key);
  switch (member.kind) {
    case 'link':
      return isPresent ? [] : [await planJoining(of, member.link)];
    case 'removed':
      return [];
    case 'entity': {
      if (isPresent) return [running(await planNested(site, memberOf(place, key), member))];
      const { entitySet } = place;
      const other =
        key === undefined || entitySet === undefined ? undefined : await elsewhere(site, entitySet, key);
      if (other === undefined) {
        added.push(member);
        return [];
      }
      const link = { url: other.url, target: member.path };
      const planned = await planLink(site, owner, property, link);
      const change = await planNested(site, other, member);
      return [(done) => linkPlanned(site, owner, planned, done), running(change)];
    }
  }
}

async function planJoining({ site, owner, property }: Members, link: KeyedLink): Promise<Step> {
  const planned = await planLink(site, owner, property, link);
  return (done) => linkPlanned(site, owner, planned, done);
}

type KeyedLink = Parameters<typeof planLink>[3];

function running({ run }: Awaited<ReturnType<PlanNested>>): Step {
  return async (done) => {
    await run(done);
  };
}

function isAmong({ present, place: { entityType } }: Members, key: Row): boolean {
  return present.some((row) => isSameKey(entityType, row, key));
}

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

/** Those that are named as removed, or not named where all are. */
async function planRemovals(
  of: Members,
  keyed: readonly KeyedMember[],
  whole: boolean,
  path: string,
): Promise<readonly Step[]> {
  const { present, place } = of;
  const { entityType } = place;
  const steps: Step[] = [];
  for (const row of present) {
    const named = keyed.find(({ key }) => key !== undefined && isSameKey(entityType, row, key))?.member;
    const isRemoved = named === undefined ? whole : named.kind === 'removed';
    if (!isRemoved) continue;
    const isDeleted = named?.kind === 'removed' && named.isDeleted;
    steps.push(await planRemoval(of, row, isDeleted, named === undefined ? path : pathOf(named)));
  }
  return steps;
}

/** What is contained is nowhere else: without the link it is deleted (CSDL 4.01, 8.4). */
async function planRemoval(
  { site, owner, property, place }: Members,
  key: Row,
  isDeleted: boolean,
  target: string,
): Promise<Step> {
  const member = memberOf(place, key);
  if (isDeleted || property.containsTarget) return planDelete(site, member, target);
  return planUnlink(site, { owner, navigation: property }, member, target);
}

async function planDelete(
  { service, request }: ChangeSite,
  entity: EntityResource,
  target: string,
): Promise<Step> {
  const { delete: operation, resource, url } = entity;
  if (operation === undefined) throw notOffered(target, `deletes ${decodeURIComponent(url)}`);
  service.source.permit?.(resource, 'Delete', request);
  const loading = { service, context: request };
  await demandPrecondition(loading, entity, request, operation);
  const args = await operationArguments(loading, operation, entity);
  if (args === undefined) throw missingEntity(entity);
  return async (done) => {
    await service.source.delete({ resource, operation, arguments: args }, request);
    done.push({ url, undone: '', left: 'it was deleted and cannot be restored', undo: undefined });
  };
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
  const entities = readNewMembers(service.model, type, property, members);
  const related = await planRelated(site, owner, { entityType }, { property, entities });
  const properties = property.constraints.length > 0 ? [] : related.keys.map(({ own }) => own);
  const { data } = await demandEntity({ service, context: request }, owner, { properties, dynamic: false });
  const known = { ...owner.known, ...data };
  return { related, create: (done) => insertAfter(site, [related], { ...owner, known }, done) };
}
