import type { BudgetedRequest } from '../../../../contract/exchange.ts';
import { GatewayError } from '../../../../contract/gateway-error.ts';
import { breakLink, makeLink } from '../../../../engine/change/planned-link.ts';
import { requireEntity } from '../../../../engine/load/load.ts';
import { assertOnlyOptions } from '../../../../engine/query/pipeline.ts';
import { entityByKey, relatedResource } from '../../../../engine/resource/navigation-source.ts';
import type { EntityResource, Link } from '../../../../engine/resource/resource.ts';
import type { QueryOptions } from '../../../../engine/tree/query-tree.ts';
import type { LinkChange } from '../../../../model/link-change.ts';
import { readReferenceBody } from '../../../payload/body/request-body.ts';
import { linkedEntity, referencedEntity } from '../../bind/referenced-entity.ts';
import { noContent } from '../../protocol/response.ts';
import type { RequestHandler, Service } from '../../service/service.ts';
import { changing } from './change-context.ts';

/** Adds a link to the entity in the request body (Part 1, 11.4.6.1 and 11.4.6.3). */
export function addReference(
  service: Service,
  link: Link,
  change: LinkChange,
  options: QueryOptions,
): RequestHandler {
  assertOnlyOptions(options, ['schemaVersion'], 'a change of links');
  const type = link.navigation.entityType;
  return async (request, version) => {
    const written = readReferenceBody(request);
    const related = linkedEntity({ service, request }, written, type);
    await makeLink(changing(service, request), link, change, related, written);
    return noContent(version);
  };
}

/** Removes a link (Part 1, 11.4.6.2): that to the entity of the path, or of `$id`. */
export function removeReference(
  service: Service,
  link: Link,
  change: LinkChange,
  member: EntityResource | undefined,
  options: QueryOptions,
): RequestHandler {
  assertOnlyOptions(options, ['schemaVersion', ...(member === undefined ? (['id'] as const) : [])], 'a link');
  const { id } = options;
  if (member === undefined && id === undefined) throw missingId();
  return async (request, version) => {
    const related = member ?? (await memberNamed({ service, request }, link, id ?? ''));
    await breakLink(changing(service, request), link, change, related);
    return noContent(version);
  };
}

/** The member of the collection with this id. */
async function memberNamed(
  { service, request }: { readonly service: Service; readonly request: BudgetedRequest },
  link: Link,
  url: string,
): Promise<EntityResource> {
  const target = '$id';
  const named = referencedEntity(service, { url, target }, request.target);
  const collection = relatedResource(service.model, link.owner, link.navigation);
  const { key } = named.entityType;
  const isKnown = key.every((name) => named.known[name] !== undefined);
  const wanted = { properties: key, dynamic: false };
  const known = isKnown
    ? named.known
    : (await requireEntity({ service, context: request }, named, wanted)).data;
  return collection.kind === 'entity' ? collection : entityByKey(collection, known);
}

function missingId(): GatewayError {
  const message = '$id: expected the entity-id of the entity whose link is to be removed, found none.';
  return new GatewayError('BadRequest', message, { target: '$id' });
}
