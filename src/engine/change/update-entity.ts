import type { Row } from '../../contract/row.ts';
import type { EntityType } from '../../model/edm.ts';
import { isUpdatable } from '../../model/link-change.ts';
import type { UpdateOperation } from '../../model/operation.ts';
import type { EntityInput } from '../input/entity-input.ts';
import type { Wanted } from '../resource/loading.ts';
import type { EntityResource } from '../resource/resource.ts';
import { boundInput } from './bound-input.ts';
import { changeEntity } from './change-entity.ts';
import { type Changing, carryOut } from './compensation.ts';
import { isDeepChange, planUpdate } from './deep-update.ts';

/** What is to become of an entity. */
export interface EntityChange {
  /** PATCH: some of its properties; PUT: all of them (Part 1, 11.4.3 and 11.4.4). */
  readonly method: 'PATCH' | 'PUT';
  readonly input: EntityInput;
}

/**
 * Changes an entity, with the related entities that the input changes, too (Part 1, 11.4.3.1). The row is the entity as
 * it is then; undefined where the upstream's answer does not say it, so that it is to be read.
 */
export async function updateEntity(
  site: Changing,
  entity: EntityResource,
  operation: UpdateOperation,
  { method, input }: EntityChange,
  wanted: Wanted,
): Promise<Row | undefined> {
  const isSettable = (of: EntityType, property: string) => isUpdatable(of, operation, property);
  const body = await boundInput({ site, isSettable, sent: operation.sent }, input);
  const isNoted = site.done !== undefined;
  if (!isDeepChange(body) && !isNoted)
    return changeEntity(site, entity, operation, { method, ...body }, wanted);
  const { run } = await planUpdate(site, entity, operation, { method, body }, wanted);
  return carryOut(site, run);
}
