import type { Row } from '../../../contract/entity-source.ts';
import type { BudgetedRequest } from '../../../contract/exchange.ts';
import type { EntityType } from '../../../model/edm.ts';
import { isInsertable } from '../../../model/linked-insert.ts';
import type { InsertOperation } from '../../../model/operation.ts';
import type { EntityBody } from '../../payload/body/entity-body.ts';
import { demandJsonContent, readEntityBody } from '../../payload/body/request-body.ts';
import { isMediaInsert, type MediaContent, mediaContent } from '../../payload/negotiation/media-content.ts';
import { bodyVersion } from '../../payload/negotiation/version.ts';
import type { Service } from '../service.ts';
import { type Binder, boundBody } from './bound-body.ts';
import { withOmitted } from './omitted-values.ts';

/** What a client wants to create: an entity, or a media entity of its stream. */
export type InsertedBody =
  | { readonly kind: 'entity'; readonly entity: EntityBody }
  | ({ readonly kind: 'media' } & MediaContent);

/**
 * Reads what is forwarded: the entity, or the stream that a media entity is made of (Part 1, 11.4.7.1). `given` is what
 * the URL says of the entity.
 */
export async function insertedBody(
  service: Service,
  entityType: EntityType,
  operation: InsertOperation,
  request: BudgetedRequest,
  given: Row,
): Promise<InsertedBody> {
  const { media, verbatim, sent } = operation;
  const contentType = request.headers['content-type'];
  if (isMediaInsert(operation, contentType)) {
    return { kind: 'media', ...mediaContent(request, media?.mediaTypes) };
  }
  demandJsonContent(request.headers);
  const options = { kind: 'insert', verbatim, version: bodyVersion(request.headers), sent, given } as const;
  const read = readEntityBody(service.model, entityType, request.body, options);
  const entity = await completeBody({ service, request }, operation, entityType, read);
  return { kind: 'entity', entity };
}

/** What a create sends: with the foreign keys of what the body refers to, and what it leaves out. */
export async function completeBody(
  { service, request }: Pick<Binder, 'service' | 'request'>,
  operation: InsertOperation,
  declared: EntityType,
  body: EntityBody,
): Promise<EntityBody> {
  const isSettable = (of: EntityType, name: string) => isInsertable(of, operation, name);
  const bound = await boundBody({ service, request, isSettable, sent: operation.sent }, declared, body);
  return withOmitted(service.model, declared, operation, bound);
}
