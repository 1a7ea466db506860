import type { GatewayRequest } from '../../../contract/exchange.ts';
import type { EntityType } from '../../../model/edm.ts';
import type { InsertOperation } from '../../../model/operation.ts';
import type { EntityBody } from '../../payload/body/entity-body.ts';
import { demandJsonContent, readEntityBody } from '../../payload/body/request-body.ts';
import { isMediaInsert, type MediaContent, mediaContent } from '../../payload/negotiation/media-content.ts';
import type { Service } from '../service.ts';
import { type Binder, boundBody } from './bound-body.ts';
import { withOmitted } from './omitted-values.ts';

/** What a client wants to create: an entity, or a media entity of its stream. */
export type InsertedBody =
  | { readonly kind: 'entity'; readonly entity: EntityBody }
  | ({ readonly kind: 'media' } & MediaContent);

/** Reads what is forwarded: the entity, or the stream that a media entity is made of (Part 1, 11.4.7.1). */
export async function insertedBody(
  service: Service,
  entityType: EntityType,
  operation: InsertOperation,
  request: GatewayRequest,
): Promise<InsertedBody> {
  const { media, verbatim } = operation;
  const contentType = request.headers['content-type'];
  if (isMediaInsert(operation, contentType)) {
    return { kind: 'media', ...mediaContent(request, media?.mediaTypes) };
  }
  demandJsonContent(request.headers);
  const read = readEntityBody(service.model, entityType, request.body, { kind: 'insert', verbatim });
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
  const bound = await boundBody(insertBinder(service, request, operation), declared, body);
  return withOmitted(service.model, declared, operation, bound);
}

/** A create may give whatever is not the upstream's to give. */
function insertBinder(
  service: Service,
  request: GatewayRequest,
  { nonInsertableProperties }: InsertOperation,
): Binder {
  const isSettable = ({ structuralProperties }: EntityType, name: string) =>
    structuralProperties.get(name)?.computed === false && nonInsertableProperties?.includes(name) !== true;
  return { service, request, isSettable };
}
