import type { Row } from '../../contract/row.ts';
import { arrayOf } from '../../contract/rows.ts';
import type { NestedChange, RelatedChanges, WrittenLink } from '../input/entity-input.ts';
import { demandCollection } from '../load/assert-parent-exists.ts';
import { entityByKey } from '../resource/place.ts';
import { relatedResource } from '../resource/related-resource.ts';
import type { EntityResource } from '../resource/resource.ts';
import type { Changing } from './compensation.ts';
import { type KeyedMember, keyedMembers, type Members } from './keyed-members.ts';
import { isSameKey } from './member-key.ts';
import { elsewhere, planNew } from './new-members.ts';
import { linkPlanned, planLink } from './planned-link.ts';
import type { PlanNested, PlannedUpdate, Step } from './planned-update.ts';
import { planRemovals } from './related-removals.ts';

/**
 * Checks what is to become of the entities behind a collection-valued navigation property. What is taken away comes
 * last: not all of it can be given back.
 */
export async function planMembers(
  site: Changing,
  owner: EntityResource,
  { property, path, whole, members }: RelatedChanges,
  planNested: PlanNested,
): Promise<readonly Step[]> {
  const { service } = site;
  const place = relatedResource(service.model, owner, property);
  if (place.kind === 'entity') throw new Error(`${property.name} is no collection`);
  const { entityType } = place;
  const wanted = { properties: entityType.key, dynamic: false };
  const { data } = await demandCollection(site, place, wanted);
  const of: Members = { site, owner, property, place, present: arrayOf(data) };
  const keyed = await keyedMembers(of, members);
  const added: NestedChange[] = [];
  const steps: Step[] = [];
  for (const each of keyed) steps.push(...(await planMember(of, each, added, planNested)));
  if (added.length > 0) steps.push((await planNew(site, owner, property, added)).create);
  return [...steps, ...(await planRemovals(of, keyed, whole, path))];
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
      if (isPresent) return [running(await planNested(site, entityByKey(place, key), member))];
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

async function planJoining({ site, owner, property }: Members, link: WrittenLink): Promise<Step> {
  const planned = await planLink(site, owner, property, link);
  return (done) => linkPlanned(site, owner, planned, done);
}

function running({ run }: PlannedUpdate): Step {
  return async (done) => {
    await run(done);
  };
}

function isAmong({ present, place: { entityType } }: Members, key: Row): boolean {
  return present.some((row) => isSameKey(entityType, row, key));
}
