import type { Changes } from '../../../../contract/entity-source.ts';
import { GatewayError } from '../../../../contract/gateway-error.ts';
import type { Row } from '../../../../contract/row.ts';
import { type PreparedCollection, prepareCollection } from '../../../../engine/read/prepare-query.ts';
import type { LoadContext } from '../../../../engine/resource/load-context.ts';
import { entityUrl } from '../../../../engine/resource/navigation-source.ts';
import type { CollectionResource } from '../../../../engine/resource/resource.ts';
import type { QueryOptions } from '../../../../engine/tree/query-tree.ts';
import type { ChangesOperation } from '../../../../model/operation.ts';
import { type RemovedEntity, writeDelta } from '../../../payload/json/delta-json.ts';
import { appliedHeaders, dataStyle, success } from '../../protocol/response.ts';
import type { RequestHandler, Service } from '../../service/service.ts';
import { shapeOf } from '../../shape/entity-shape.ts';
import { changesOf, pageSize } from './read-collection.ts';

/** Reads what has changed in a collection since the state of a delta link (Part 1, 11.3), as its query shows it. */
export function readChanges(
  service: Service,
  collection: CollectionResource,
  { deltaToken: _, ...options }: QueryOptions,
): RequestHandler {
  const operation = changesOf(collection, options) ?? refuse();
  const prepared = prepareCollection(service, collection, options);
  const shape = shapeOf(service, collection, options, prepared, 'delta');
  const { resource, entityType } = collection;
  const idOf = entityUrl(resource, entityType);
  return async (request, version) => {
    const style = dataStyle(options.format, request, version);
    const since = service.deltaTokens.stateOf(request.target);
    const page = service.deltaPages.pageOf(request.target, pageSize(collection, style.preferences));
    const loading = { service, context: request };
    const read = { resource, entityType, operation, arguments: {}, since, ...wantedOf(collection, prepared) };
    const { changed, removed, next } = await service.source.readChanges(read, request);
    const { shown, gone } = await sortOut(loading, prepared, { changed, removed }, idOf);
    const ids = [...gone.map(({ id }) => id), ...shown.map(idOf)];
    const state = page.next ?? next;
    const { isShown, nextLink } = service.deltaPages.cut(ids, page, state, request.target);
    const rows = await prepared.expand(
      loading,
      shown.filter((row) => isShown(idOf(row))),
    );
    const entities = gone.filter(({ id }) => isShown(id));
    const count = options.count === true ? ids.length : undefined;
    // The last page leads to what changes from then on.
    const deltaLink =
      nextLink === undefined ? service.deltaTokens.linkSince(request.target, state) : undefined;
    const control = { count, nextLink, deltaLink };
    const { budget } = request;
    const body = await budget.run(
      writeDelta(shape(style), rows, { path: resource, entities }, control, budget),
    );
    const applied = appliedHeaders(style.preferences, ['maxpagesize', 'omit-values']);
    return success(version, style.contentType, body, applied);
  };
}

function refuse(): ChangesOperation & never {
  const message = '$deltatoken: changes of this query are not tracked';
  throw new GatewayError('BadRequest', message, { target: '$deltatoken' });
}

/** What is wanted of changes, with the key, by which clients know what has changed. */
function wantedOf(
  { entityType }: CollectionResource,
  { wanted: { properties, dynamic } }: PreparedCollection,
) {
  return { properties: [...new Set([...entityType.key, ...properties])], dynamic };
}

interface SortedOut {
  readonly shown: readonly Row[];
  readonly gone: readonly RemovedEntity[];
}

/** What the query does not accept may have been among its results; what is there again is not gone. */
async function sortOut(
  loading: LoadContext,
  prepared: PreparedCollection,
  { changed, removed }: Pick<Changes, 'changed' | 'removed'>,
  idOf: (row: Row) => string,
): Promise<SortedOut> {
  const { rows: shown } = await prepared.run(loading, { data: changed, total: undefined });
  const accepted = new Set(shown.map(idOf));
  const there = new Set(changed.map(idOf));
  const deleted = removed.map(idOf).filter((id) => !there.has(id));
  const left = [...there].filter((id) => !accepted.has(id));
  return {
    shown,
    gone: [
      ...deleted.map((id) => ({ id, reason: 'deleted' as const })),
      ...left.map((id) => ({ id, reason: 'changed' as const })),
    ],
  };
}
