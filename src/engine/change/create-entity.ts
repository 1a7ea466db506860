import type { Row } from '../../contract/row.ts';
import type { EntityType } from '../../model/edm.ts';
import type { InsertOperation } from '../../model/operation.ts';
import type { EntityInput } from '../input/entity-input.ts';
import type { Wanted } from '../resource/loading.ts';
import type { CollectionResource } from '../resource/resource.ts';
import type { Changing } from './compensation.ts';
import { completeInput } from './complete-input.ts';
import { insertDeep } from './deep-insert.ts';
import { contentOf } from './extended-input.ts';
import { hasOthers, insertEntity } from './insert-entity.ts';
import { createdIn, givenByLink } from './linked-insert.ts';
import { planInsertion } from './planned-insertion.ts';

/**
 * Creates an entity in a collection, with what else its input has (Part 1, 11.4.2); all that is known of it then. `read`
 * reads the input, where `given` is what the place says of the entity.
 */
export async function createEntity(
  site: Changing,
  addressed: CollectionResource,
  operation: InsertOperation,
  read: (type: EntityType, given: Row) => EntityInput,
  wanted: Wanted,
): Promise<Row> {
  const { model } = site.service;
  const collection = createdIn(model, addressed);
  const { type } = collection;
  const given = await givenByLink(site, addressed);
  const input = await completeInput(site, operation, read(type, given));
  const place = { collection, operation };
  if (hasOthers(input)) return insertDeep(site, await planInsertion(site, place, input), wanted);
  return insertEntity(site, place, contentOf(type, input), wanted, input.values);
}
