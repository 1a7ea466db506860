import type { InsertedContent } from '../../../../contract/entity-source.ts';
import type { BudgetedRequest } from '../../../../contract/exchange.ts';
import type { Row } from '../../../../contract/row.ts';
import type { Changing } from '../../../../engine/change/compensation.ts';
import { completeInput } from '../../../../engine/change/complete-input.ts';
import type { EntityInput } from '../../../../engine/input/entity-input.ts';
import type { EntityType } from '../../../../model/edm.ts';
import type { InsertOperation } from '../../../../model/operation.ts';
import { demandJsonContent, readEntityBody } from '../../../payload/body/request-body.ts';
import { isMediaInsert, mediaContent } from '../../../payload/negotiation/media-content.ts';

/** What a client wants to create: an entity, or a media entity of its stream. */
export type InsertedBody =
  | { readonly kind: 'entity'; readonly entity: EntityInput }
  | { readonly kind: 'media'; readonly content: InsertedContent };

/**
 * Reads what is forwarded: the entity, or the stream that a media entity is made of (Part 1, 11.4.7.1). `given` is what
 * the URL says of the entity.
 */
export async function insertedBody(
  site: Changing,
  entityType: EntityType,
  operation: InsertOperation,
  request: BudgetedRequest,
  given: Row,
): Promise<InsertedBody> {
  const { media, verbatim, sent } = operation;
  const contentType = request.headers['content-type'];
  if (isMediaInsert(operation, contentType)) {
    const content = mediaContent(request, media?.mediaTypes);
    return { kind: 'media', content: { kind: 'verbatim', ...content } };
  }
  demandJsonContent(request.headers);
  const options = { kind: 'insert', verbatim, headers: request.headers, sent, given } as const;
  const read = readEntityBody(site.service.model, entityType, request.body, options);
  const entity = await completeInput(site, operation, read);
  return { kind: 'entity', entity };
}
