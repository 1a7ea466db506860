import type { Row } from '../../contract/row.ts';
import type { EntityType } from '../../model/edm.ts';
import { isUpdatable } from '../../model/link-change.ts';
import type { UpdateOperation } from '../../model/operation.ts';
import type { EntityInput, NestedChange } from '../input/entity-input.ts';
import { NOTHING } from '../load/assert-parent-exists.ts';
import type { Wanted } from '../resource/loading.ts';
import type { EntityResource } from '../resource/resource.ts';
import { boundInput } from './bound-input.ts';
import { changeEntity } from './change-entity.ts';
import { type Changing, unconditional } from './compensation.ts';
import { notOffered } from './not-offered.ts';
import type { PlannedUpdate } from './planned-update.ts';
import { demandPrecondition } from './precondition.ts';
import { planRelatedChanges } from './related-changes.ts';
import { prepareRestoring, type WholeChange } from './restored-entity.ts';

/** Whether related entities are to be changed, too. */
export function isDeepChange({ changes, bindings }: EntityInput): boolean {
  return changes.length > 0 || bindings.length > 0;
}

/** Checks a change of an entity together with related ones (Part 1, 11.4.3.1), and who may make it. */
export async function planUpdate(
  site: Changing,
  entity: EntityResource,
  operation: UpdateOperation,
  { method, body }: WholeChange,
  wanted: Wanted = NOTHING,
): Promise<PlannedUpdate> {
  const { service, context } = site;
  service.source.permit?.(entity.resource, 'Update', context);
  await demandPrecondition(site, entity, operation);
  const how = { operation, isWhole: method === 'PUT', planNested };
  const related = await planRelatedChanges(unconditional(site), entity, how, body);
  const note = await prepareRestoring(site, entity, operation, { method, body });
  const { entityType } = body;
  return {
    async run(done) {
      const values: Record<string, Row[string]> = { ...body.values };
      for (const step of related.before) Object.assign(values, await step(done));
      const isChanged = method === 'PUT' || Object.keys(values).length > 0;
      const changed = isChanged
        ? await changeEntity(site, entity, operation, { method, entityType, values }, wanted)
        : undefined;
      if (isChanged) done.push(await note(unconditional(site), changed));
      for (const step of related.after) await step(done);
      return related.after.length === 0 ? changed : undefined;
    },
  };
}

/** What a body says of an entity that is there, and may be in a state that it names (JSON Format, 4.5.9). */
async function planNested(
  site: Changing,
  entity: EntityResource,
  { body: read, etag, path }: NestedChange,
): Promise<PlannedUpdate> {
  const stated =
    etag === undefined ? site : { ...site, conditions: { ...site.conditions, 'if-match': etag } };
  const operation = entity.update;
  const isEmpty = Object.keys(read.values).length === 0 && !isDeepChange(read);
  if (isEmpty && etag === undefined) return { run: async () => undefined };
  if (operation === undefined) throw notOffered(path, `changes ${decodeURIComponent(entity.url)}`);
  const isSettable = (of: EntityType, property: string) => isUpdatable(of, operation, property);
  const body = await boundInput({ site: stated, isSettable, sent: operation.sent }, read);
  return planUpdate(stated, entity, operation, { method: 'PATCH', body });
}
