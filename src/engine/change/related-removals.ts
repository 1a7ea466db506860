import type { Row } from '../../contract/row.ts';
import { missingEntity, operationArguments } from '../load/load.ts';
import { entityByKey } from '../resource/place.ts';
import type { EntityResource } from '../resource/resource.ts';
import type { Changing } from './compensation.ts';
import { type KeyedMember, type Members, pathOf } from './keyed-members.ts';
import { isSameKey } from './member-key.ts';
import { notOffered } from './not-offered.ts';
import { planUnlink } from './planned-link.ts';
import type { Step } from './planned-update.ts';
import { demandPrecondition } from './precondition.ts';

/** Those that are named as removed, or not named where all are. */
export async function planRemovals(
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
  const member = entityByKey(place, key);
  if (isDeleted || property.containsTarget) return planDelete(site, member, target);
  return planUnlink(site, { owner, navigation: property }, member, target);
}

async function planDelete(site: Changing, entity: EntityResource, target: string): Promise<Step> {
  const { service, context } = site;
  const { delete: operation, resource, url } = entity;
  if (operation === undefined) throw notOffered(target, `deletes ${decodeURIComponent(url)}`);
  service.source.permit?.(resource, 'Delete', context);
  await demandPrecondition(site, entity, operation);
  const args = await operationArguments(site, operation, entity);
  if (args === undefined) throw missingEntity(entity);
  return async (done) => {
    await service.source.delete({ resource, operation, arguments: args }, context);
    done.push({ url, undone: '', left: 'it was deleted and cannot be restored', undo: undefined });
  };
}
