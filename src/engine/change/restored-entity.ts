import { GatewayError } from '../../contract/gateway-error.ts';
import type { Row } from '../../contract/row.ts';
import type { EntityType } from '../../model/edm.ts';
import { isUpdatable } from '../../model/link-change.ts';
import type { UpdateOperation } from '../../model/operation.ts';
import { isReadable } from '../../model/readable-property.ts';
import type { EntityInput } from '../input/entity-input.ts';
import { NOTHING } from '../load/assert-parent-exists.ts';
import { entityTag, etagProperty, stateTag } from '../load/entity-state.ts';
import { demandEntity } from '../load/load.ts';
import type { EntityResource } from '../resource/resource.ts';
import { changeEntity } from './change-entity.ts';
import type { Changing, CompletedChange } from './compensation.ts';
import { readable } from './readable.ts';

/** What is said of an entity that is there. */
export interface WholeChange {
  readonly method: 'PATCH' | 'PUT';
  /** With the foreign keys of what it refers to. */
  readonly body: EntityInput;
}

/** Says what has been done, once the change is made; `changed` is the entity then, where the upstream has said so. */
export type NoteChange = (site: Changing, changed: Row | undefined) => Promise<CompletedChange>;

/**
 * Reads the values that a change will overwrite, so that it can be taken back. It cannot where somebody else may have
 * changed the entity since, which its entity tag tells, nor where nobody can read what it was.
 */
export async function prepareRestoring(
  site: Changing,
  entity: EntityResource,
  operation: UpdateOperation,
  change: WholeChange,
): Promise<NoteChange> {
  const { entityType } = change.body;
  const names = changedNames(operation, change);
  const declared = names.flatMap((name) => entityType.structuralProperties.get(name) ?? []);
  const properties = declared.filter(isReadable).map(({ name }) => name);
  const etag = etagProperty(entity.type);
  const found = await readable(() => demandEntity(site, entity, { properties, dynamic: false, whole: true }));
  if (found === undefined || properties.length < names.length) {
    return async () => ({ url: entity.url, ...CHANGED, undo: undefined });
  }
  const isTagged = etag !== undefined || found.etag !== undefined;
  return async (now, changed) => {
    const told = changed && entityTag(changed, etag);
    const tag = isTagged ? (told ?? (await presentTag(now, entity, etag))) : undefined;
    const undo =
      isTagged && tag === undefined ? undefined : restoring(entity, operation, entityType, found.data, tag);
    return { url: entity.url, ...CHANGED, undo };
  };
}

const CHANGED = {
  undone: 'it is as it was before',
  left: 'it was changed and cannot be changed back',
};

function restoring(
  entity: EntityResource,
  operation: UpdateOperation,
  entityType: EntityType,
  values: Row,
  tag: string | undefined,
): NonNullable<CompletedChange['undo']> {
  const back = { method: 'PATCH', entityType, values } as const;
  const match = tag ?? (operation.precondition?.required === true ? '*' : undefined);
  return async (site) => {
    const conditions = match === undefined ? site.conditions : { ...site.conditions, 'if-match': match };
    await changeEntity({ ...site, conditions }, entity, operation, back, NOTHING);
  };
}

/** The tag of the state that the change has left behind; undefined where it cannot be read: the change is made. */
async function presentTag(
  site: Changing,
  entity: EntityResource,
  etag: string | undefined,
): Promise<string | undefined> {
  const wanted = { properties: etag === undefined ? [] : [etag], dynamic: false };
  try {
    const found = await demandEntity(site, entity, wanted);
    return stateTag({ ...found, digest: undefined }, etag);
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
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
