import { GatewayError } from '../../../contract/gateway-error.ts';
import type { EntityInput } from '../../../engine/change/entity-input.ts';
import { contentOf } from '../../../engine/change/extended-input.ts';
import { demandOwner } from '../../../engine/load/demand-owner.ts';
import { operationArguments } from '../../../engine/load/load.ts';
import type { Loading } from '../../../engine/resource/loading.ts';
import { itemOperations, memberOf } from '../../../engine/resource/place.ts';
import type { CollectionResource, EntityResource } from '../../../engine/resource/resource.ts';
import { missingOwner } from '../../../engine/resource/resource-error.ts';
import type { QueryOptions } from '../../../engine/tree/options-tree.ts';
import type { InsertOperation } from '../../../model/operation.ts';
import type { Operation, Service } from '../service.ts';
import { createdIn, givenByLink } from './behind-link.ts';
import { hasKey } from './change-entity.ts';
import { createdAnswers, createdStyle } from './created-answer.ts';
import { expandedOptions } from './deep-expansions.ts';
import { insertDeep } from './deep-insert.ts';
import { insertedBody } from './inserted-body.ts';
import { planInsertion } from './planned-insertion.ts';
import { completed, createdRow } from './told-row.ts';
import { createdEntity } from './undo-changes.ts';

/**
 * Creates an entity (Part 1, 11.4.2): checks the body, forwards it, and answers with the entity as the
 * upstream's answer describes it; what else its body has is created with it (11.4.2.2).
 */
export function createEntity(
  service: Service,
  addressed: CollectionResource,
  operation: InsertOperation,
  options: QueryOptions,
): Operation {
  const collection = createdIn(service.model, addressed);
  const entityType = collection.cast ?? collection.entityType;
  const answers = createdAnswers(service, collection, options);
  const owner = collection.origin.kind === 'operations' ? collection.origin.owner : undefined;
  return async (request, version) => {
    const loading = { service, context: request };
    const style = createdStyle(options.format, request, version);
    const given = await givenByLink(loading, addressed);
    const sent = await insertedBody(service, entityType, operation, request, given);
    if (sent.kind === 'entity' && hasOthers(sent.entity)) {
      const site = { service, request };
      const insertion = await planInsertion(site, { collection, operation }, sent.entity);
      const expanded = createdAnswers(service, collection, expandedOptions(options, insertion), options);
      const row = await insertDeep(site, insertion, expanded.prepared.wanted);
      return expanded.answer(loading, row, { style, version });
    }
    const args = await operationArguments(loading, operation, owner);
    if (args === undefined) throw missingOwner(collection.url);
    const { resource } = collection;
    const { wanted } = answers.prepared;
    const content = sent.kind === 'entity' ? contentOf(service.model, entityType, sent.entity) : sent.content;
    const places = itemOperations(collection);
    const insert = { resource, entityType, operation, arguments: args, places, ...wanted, content };
    const created = await insertBelow(loading, owner, () => service.source.insert(insert, request));
    const values = sent.kind === 'entity' ? sent.entity.values : {};
    const row = completed(entityType.key, createdRow(created, wanted.properties, values), values);
    if (hasKey(entityType, row))
      service.done?.push(createdEntity({ ...memberOf(collection, row), known: row }));
    return answers.answer(loading, row, { style, version });
  };
}

function hasOthers({ nested, bindings }: EntityInput): boolean {
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
    if (isRefused && owner !== undefined) await demandOwner(loading, owner);
    throw error;
  }
}

const REFUSALS: ReadonlySet<string> = new Set(['InsertFailed', 'NotFound', 'UnprocessableContent']);
