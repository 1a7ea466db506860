import type { Row } from '../../contract/entity-source.ts';
import type { EntityType } from '../../model/edm.ts';
import { isUpdatable } from '../../model/link-change.ts';
import type { UpdateOperation } from '../../model/operation.ts';
import { isReadable } from '../../model/readable-property.ts';
import type { EntityInput, NestedChange } from '../input/entity-input.ts';
import { NOTHING } from '../load/demand-owner.ts';
import { demandEntity } from '../load/load.ts';
import type { Wanted } from '../resource/loading.ts';
import type { EntityResource } from '../resource/resource.ts';
import { boundInput } from './bound-input.ts';
import { changeEntity } from './change-entity.ts';
import { notOffered } from './not-offered.ts';
import type { PlannedUpdate } from './planned-update.ts';
import { demandPrecondition } from './precondition.ts';
import { planRelatedChanges } from './related-changes.ts';
import { type Changing, type Done, unconditional } from './undo-changes.ts';

interface WholeChange {
  readonly method: 'PATCH' | 'PUT';
  /** With the foreign keys of what it refers to. */
  readonly body: EntityInput;
}

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
  const undo = await restoring(site, entity, operation, { method, body });
  const { entityType } = body;
  return {
    async run(done) {
      const values: Record<string, Row[string]> = { ...body.values };
      for (const step of related.before) Object.assign(values, await step(done));
      const isChanged = method === 'PUT' || Object.keys(values).length > 0;
      const changed = isChanged
        ? await changeEntity(site, entity, operation, { method, entityType, values }, wanted)
        : undefined;
      if (isChanged) done.push({ url: entity.url, ...CHANGED, undo });
      for (const step of related.after) await step(done);
      return related.after.length === 0 ? changed : undefined;
    },
  };
}

const CHANGED = {
  undone: 'it is as it was before',
  left: 'it was changed and cannot be changed back',
};

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

/** Gives the properties that are changed the values that they have now; undefined where nobody can read them. */
async function restoring(
  site: Changing,
  entity: EntityResource,
  operation: UpdateOperation,
  change: WholeChange,
): Promise<Done['undo']> {
  const { entityType } = change.body;
  const names = changedNames(operation, change);
  const declared = names.flatMap((name) => entityType.structuralProperties.get(name) ?? []);
  const properties = declared.filter(isReadable).map(({ name }) => name);
  const { data } = await demandEntity(site, entity, { properties, dynamic: false });
  if (properties.length < names.length) return undefined;
  const back = { method: 'PATCH', entityType, values: data } as const;
  const match = operation.precondition?.required === true ? { 'if-match': '*' } : {};
  return async (site) => {
    const conditions = { ...site.conditions, ...match };
    await changeEntity({ ...site, conditions }, entity, operation, back, NOTHING);
  };
}

/** What is given, and the foreign keys that follow; a PUT changes all the rest, too. */
function changedNames(
  operation: UpdateOperation,
  { method, body: { entityType, values, changes } }: WholeChange,
): readonly string[] {
  const keys = changes.flatMap(({ property }) => property.constraints.map((each) => each.property));
  const all = [...entityType.structuralProperties.keys()].filter((name) =>
    isUpdatable(entityType, operation, name),
  );
  return [...new Set([...Object.keys(values), ...keys, ...(method === 'PUT' ? all : [])])];
}
