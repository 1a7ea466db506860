import { GatewayError } from '../../../../contract/gateway-error.ts';
import { arrayOf } from '../../../../contract/row.ts';
import { requireCollection } from '../../../../engine/load/load.ts';
import { entityOf } from '../../../../engine/load/load-related.ts';
import { wantedFor } from '../../../../engine/load/wanted.ts';
import { assertOnlyOptions } from '../../../../engine/query/pipeline.ts';
import { unfiltered } from '../../../../engine/resource/navigation-source.ts';
import type { CollectionResource, EntityResource } from '../../../../engine/resource/resource.ts';
import type { QueryOptions } from '../../../../engine/tree/query-tree.ts';
import type { UpdateOperation, Operation as UpstreamOperation } from '../../../../model/operation.ts';
import { readEntityBody } from '../../../payload/body/request-body.ts';
import { noContent } from '../../protocol/response.ts';
import type { RequestHandler, Service } from '../../service/service.ts';
import { deleteEntity } from './delete-entity.ts';
import { updateEntity } from './update-entity.ts';

/** Maximum number of entities that one request changes: each needs a call. */
const MOST_MEMBERS = 100;

/** Deletes each entity of a collection (Part 1, Delete Members of a Collection). */
export function deleteEach(
  service: Service,
  collection: CollectionResource,
  operation: UpstreamOperation,
  options: QueryOptions,
): RequestHandler {
  assertOnlyOptions(options, ['schemaVersion'], 'a delete');
  return changeEach(service, collection, (member) => deleteEntity(service, member, operation, NO_OPTIONS));
}

/** Changes the same properties of each entity of a collection (Part 1, Update Members of a Collection). */
export function updateEach(
  service: Service,
  collection: CollectionResource,
  operation: UpdateOperation,
  options: QueryOptions,
): RequestHandler {
  assertOnlyOptions(options, ['schemaVersion'], 'a change of each member');
  const { type } = collection;
  const change = changeEach(service, collection, (member) =>
    updateEntity(service, member, operation, 'PATCH', NO_OPTIONS),
  );
  return async (request, version) => {
    readEntityBody(service.model, type, request, { kind: 'update', sent: operation.sent });
    return change(request, version);
  };
}

const NO_OPTIONS: QueryOptions = { aliases: new Map() };

/**
 * Reads the entities first, and rejects too many before any change. Changes run one after the other; because
 * upstreams have no transactions, an error reports how many were made.
 */
function changeEach(
  service: Service,
  collection: CollectionResource,
  operationOn: (member: EntityResource) => RequestHandler,
): RequestHandler {
  return async (request, version) => {
    const { prefer: _, ...headers } = request.headers;
    const members = await membersOf(service, collection, request);
    for (const [done, member] of members.entries()) {
      try {
        await operationOn(member)({ ...request, headers }, version);
      } catch (error) {
        throw done > 0 && error instanceof GatewayError ? changedInPart(error, done, members.length) : error;
      }
    }
    return noContent(version);
  };
}

async function membersOf(
  service: Service,
  collection: CollectionResource,
  context: Parameters<RequestHandler>[0],
): Promise<readonly EntityResource[]> {
  const { type, isCast } = collection;
  const keyOnly = { properties: type.key, dynamic: false, related: new Map(), roots: [] };
  const wanted = wantedFor(type, keyOnly);
  const { data } = await requireCollection({ service, context }, collection, wanted);
  if (data.length > MOST_MEMBERS) {
    const message = `/$each: expected at most ${MOST_MEMBERS} members, found ${data.length}; use /$filter for fewer.`;
    throw new GatewayError('BadRequest', message);
  }
  return arrayOf(data).map((row) => entityOf({ ...unfiltered(collection), type, isCast }, row));
}

function changedInPart(error: GatewayError, done: number, all: number): GatewayError {
  const { code, message, target, details, headers, cause } = error;
  const explained = `${message} Of ${all} members ${done} had been changed before.`;
  return new GatewayError(code, explained, {
    ...(target !== undefined && { target }),
    details,
    headers,
    cause,
  });
}
