import type { Row } from '../../../contract/entity-source.ts';
import type { GatewayRequest } from '../../../contract/exchange.ts';
import { GatewayError } from '../../../contract/gateway-error.ts';
import type { EntityType } from '../../../model/edm.ts';
import type { LinkChange } from '../../../model/link-change.ts';
import type { ReferenceOperation } from '../../../model/operation.ts';
import { readReferenceBody, type WrittenReference } from '../../payload/body/reference-body.ts';
import { demandJsonContent } from '../../payload/body/request-body.ts';
import { refuseAllBut } from '../../query/options.ts';
import type { QueryOptions } from '../../url/tree.ts';
import { demandPrecondition } from '../entity-tag.ts';
import { demandEntity, type Loading, missingEntity, operationArguments } from '../load/load.ts';
import { memberOf } from '../resource/place.ts';
import { linkedEntity, linkedValues, referencedEntity } from '../resource/referenced-entity.ts';
import { relatedResource } from '../resource/related-resource.ts';
import type { EntityResource, Link } from '../resource/resource.ts';
import { noContent } from '../response.ts';
import type { Operation, Service } from '../service.ts';
import { changeEntity } from './change-entity.ts';
import { NOTHING } from './demand-owner.ts';

/** Links an entity to the one that the request's body refers to (Part 1, 11.4.6.1 and 11.4.6.3). */
export function addReference(
  service: Service,
  link: Link,
  change: LinkChange,
  options: QueryOptions,
): Operation {
  refuseAllBut(options, ['schemaVersion'], 'a change of links');
  const type = relatedType(service, link);
  return async (request, version) => {
    demandJsonContent(request.headers['content-type']);
    const written = readReferenceBody(request.body);
    const related = linkedEntity(service, written, type);
    await makeLink({ service, request }, link, change, related, written);
    return noContent(version);
  };
}

interface Change {
  readonly service: Service;
  readonly request: GatewayRequest;
}

async function makeLink(
  { service, request }: Change,
  link: Link,
  change: LinkChange,
  related: EntityResource,
  written: WrittenReference,
): Promise<void> {
  const loading = { service, context: request };
  const { key } = related.entityType;
  switch (change.kind) {
    case 'operation': {
      const known = await linkedValues(loading, related, key, written);
      return callReference({ service, request }, link, change.operation, { ...related, known });
    }
    case 'owner': {
      const names = change.keys.map((each) => each.related);
      const found = await linkedValues(loading, related, names, written);
      const values = change.keys.map((each) => [each.own, found[each.related] ?? null] as const);
      return setValues({ service, request }, link.owner, change, Object.fromEntries(values));
    }
    case 'related': {
      const properties = change.keys.map(({ own }) => own);
      const { data } = await demandEntity(loading, link.owner, { properties, dynamic: false });
      const values = change.keys.map((each) => [each.related, data[each.own] ?? null] as const);
      return setValues({ service, request }, related, change, Object.fromEntries(values));
    }
  }
}

/**
 * Takes a link away (Part 1, 11.4.6.2): that to the entity which the path leads to, or to the one of a collection
 * that `$id` names.
 */
export function removeReference(
  service: Service,
  link: Link,
  change: LinkChange,
  member: EntityResource | undefined,
  options: QueryOptions,
): Operation {
  refuseAllBut(options, ['schemaVersion', ...(member === undefined ? (['id'] as const) : [])], 'a link');
  const { id } = options;
  if (member === undefined && id === undefined) throw missingId();
  return async (request, version) => {
    const related = member ?? (await memberNamed({ service, request }, link, id ?? ''));
    await breakLink({ service, request }, link, change, related);
    return noContent(version);
  };
}

async function breakLink(
  { service, request }: Change,
  link: Link,
  change: LinkChange,
  related: EntityResource,
): Promise<void> {
  const loading = { service, context: request };
  switch (change.kind) {
    case 'operation': {
      const wanted = { properties: related.entityType.key, dynamic: false };
      const known = (await demandEntity(loading, related, wanted)).data;
      return callReference({ service, request }, link, change.operation, { ...related, known });
    }
    case 'owner': {
      const values = change.keys.map(({ own }) => [own, null] as const);
      return setValues({ service, request }, link.owner, change, Object.fromEntries(values));
    }
    case 'related': {
      await demandEntity(loading, related, NOTHING);
      const values = change.keys.map((each) => [each.related, null] as const);
      return setValues({ service, request }, related, change, Object.fromEntries(values));
    }
  }
}

/** The entity of the collection with that id: one that is elsewhere is not linked. */
async function memberNamed({ service, request }: Change, link: Link, url: string): Promise<EntityResource> {
  const target = '$id';
  const named = referencedEntity(service, { url, target });
  const collection = relatedResource(service.model, link.owner, link.navigation);
  const { key } = named.entityType;
  const isKnown = key.every((name) => named.known[name] !== undefined);
  const wanted = { properties: key, dynamic: false };
  const known = isKnown
    ? named.known
    : (await demandEntity({ service, context: request }, named, wanted)).data;
  return collection.kind === 'entity' ? collection : memberOf(collection, known);
}

/** Of the entity that is changed, the request may say in which state it must be; of the other one it says nothing. */
async function setValues(
  { service, request }: Change,
  entity: EntityResource,
  { kind, update }: Exclude<LinkChange, { kind: 'operation' }>,
  values: Row,
): Promise<void> {
  const { 'if-match': _, 'if-none-match': __, ...headers } = request.headers;
  const sent = kind === 'owner' ? request : { ...request, headers };
  const change = { method: 'PATCH', entityType: entity.cast ?? entity.entityType, values } as const;
  await changeEntity(service, sent, entity, update, change, NOTHING);
}

async function callReference(
  { service, request }: Change,
  { owner }: Link,
  operation: ReferenceOperation,
  related: EntityResource,
): Promise<void> {
  const loading: Loading = { service, context: request };
  await demandPrecondition(loading, owner, request);
  const args = await operationArguments(loading, operation, { ...related, parent: owner });
  if (args === undefined) throw missingEntity(related);
  const members = operation.body.map(({ upstreamName, property }) => {
    return [upstreamName, related.known[property] ?? null] as const;
  });
  const call = {
    kind: 'reference',
    resource: owner.resource,
    operation,
    arguments: args,
    body: members.length === 0 ? undefined : Object.fromEntries(members),
    returns: undefined,
    wrappedIn: undefined,
  } as const;
  await service.source.call(call, request);
}

function relatedType({ model }: Service, { navigation }: Link): EntityType {
  const type = model.entityTypes.get(navigation.entityType);
  if (type === undefined) throw new Error(`The model has no ${navigation.entityType}`);
  return type;
}

function missingId(): GatewayError {
  const message = '$id: expected the entity-id of the entity whose link is taken away, found none.';
  return new GatewayError('BadRequest', message, { target: '$id' });
}
