import type { InsertedContent } from '../../contract/entity-source.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { Row } from '../../contract/row.ts';
import type { EntityInput } from '../input/entity-input.ts';
import { assertParentExists } from '../load/assert-parent-exists.ts';
import { operationArguments } from '../load/load.ts';
import type { Loading, Wanted } from '../resource/loading.ts';
import { entityByKey, itemOperations } from '../resource/place.ts';
import type { EntityResource } from '../resource/resource.ts';
import { missingOwner } from '../resource/resource-error.ts';
import { hasKey } from './change-entity.ts';
import { type Changing, createdEntity } from './compensation.ts';
import { completed, createdRepresentation } from './created-representation.ts';
import { fixedByEntity, sentContent } from './fixed-by-entity.ts';
import type { InsertPlace } from './planned-insertion.ts';

/** Has the upstream create one entity of that content; `values` are what is known of it. */
export async function insertEntity(
  site: Changing,
  { collection, operation }: InsertPlace,
  content: InsertedContent,
  wanted: Wanted,
  values: Row,
): Promise<Row> {
  const { service, context } = site;
  const { type: entityType } = collection;
  const owner = collection.origin.kind === 'operations' ? collection.origin.owner : undefined;
  const args = await operationArguments(site, operation, owner);
  if (args === undefined) throw missingOwner(collection.url);
  const { resource } = collection;
  const places = itemOperations(collection);
  const insert = {
    resource,
    entityType,
    operation,
    arguments: { ...args, ...fixedByEntity(operation, values) },
    places,
    ...wanted,
    content: sentContent(operation, content),
  };
  const created = await insertBelow(site, owner, () => service.source.insert(insert, context));
  const row = completed(entityType.key, createdRepresentation(created, wanted.properties, values), values);
  if (hasKey(entityType, row))
    site.done?.push(createdEntity({ ...entityByKey(collection, row), known: row }));
  return row;
}

/** Whether others are to be created or linked with the entity. */
export function hasOthers({ nested, bindings }: EntityInput): boolean {
  if (bindings.some(({ links }) => links.length > 0)) return true;
  return nested.some(({ property, entities }) => property.origin.kind !== 'embedded' && entities.length > 0);
}

/** An upstream that takes nothing below what is not there refuses for that reason. */
async function insertBelow<Created>(
  loading: Loading,
  owner: EntityResource | undefined,
  insert: () => Promise<Created>,
): Promise<Created> {
  try {
    return await insert();
  } catch (error) {
    const isRefused = error instanceof GatewayError && REFUSALS.has(error.code);
    if (isRefused && owner !== undefined) await assertParentExists(loading, owner);
    throw error;
  }
}

const REFUSALS: ReadonlySet<string> = new Set(['InsertFailed', 'NotFound', 'UnprocessableContent']);
