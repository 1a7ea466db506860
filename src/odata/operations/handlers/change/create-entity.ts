import { insertDeep } from '../../../../engine/change/deep-insert.ts';
import { contentOf } from '../../../../engine/change/extended-input.ts';
import { hasOthers, insertEntity } from '../../../../engine/change/insert-entity.ts';
import { createdIn, givenByLink } from '../../../../engine/change/linked-insert.ts';
import { planInsertion } from '../../../../engine/change/planned-insertion.ts';
import type { CollectionResource } from '../../../../engine/resource/resource.ts';
import type { QueryOptions } from '../../../../engine/tree/options-tree.ts';
import type { InsertOperation } from '../../../../model/operation.ts';
import type { RequestHandler, Service } from '../../service/service.ts';
import { changing } from './changing.ts';
import { createdAnswers, createdStyle } from './created-answer.ts';
import { expandedOptions } from './deep-expansions.ts';
import { insertedBody } from './inserted-body.ts';

/**
 * Creates an entity (Part 1, 11.4.2): checks the body, forwards it, and answers with the entity as the
 * upstream's answer describes it; what else its body has is created with it (11.4.2.2).
 */
export function createEntity(
  service: Service,
  addressed: CollectionResource,
  operation: InsertOperation,
  options: QueryOptions,
): RequestHandler {
  const collection = createdIn(service.model, addressed);
  const { type: entityType } = collection;
  const answers = createdAnswers(service, collection, options);
  return async (request, version) => {
    const site = changing(service, request);
    const style = createdStyle(options.format, request, version);
    const given = await givenByLink(site, addressed);
    const sent = await insertedBody(site, entityType, operation, request, given);
    const place = { collection, operation };
    if (sent.kind === 'entity' && hasOthers(sent.entity)) {
      const insertion = await planInsertion(site, place, sent.entity);
      const expanded = createdAnswers(service, collection, expandedOptions(options, insertion), options);
      const row = await insertDeep(site, insertion, expanded.prepared.wanted);
      return expanded.answer(site, row, { style, version });
    }
    const { wanted } = answers.prepared;
    const isEntity = sent.kind === 'entity';
    const content = isEntity ? contentOf(entityType, sent.entity) : sent.content;
    const row = await insertEntity(site, place, content, wanted, isEntity ? sent.entity.values : {});
    return answers.answer(site, row, { style, version });
  };
}
