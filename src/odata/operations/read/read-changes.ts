import type { Row } from '../../../contract/entity-source.ts';
import { GatewayError } from '../../../contract/gateway-error.ts';
import type { ChangesOperation } from '../../../model/operation.ts';
import { entityUrl } from '../../payload/entity-url.ts';
import { type RemovedEntity, writeDelta } from '../../payload/json/delta-json.ts';
import type { QueryOptions } from '../../url/tree.ts';
import { appliedHeaders, dataStyle } from '../data-style.ts';
import { shapeOf } from '../load/entity-shape.ts';
import type { Loading } from '../load/load.ts';
import { changesOf } from '../paging/track-changes.ts';
import { type PreparedCollection, prepareCollection } from '../prepare-query.ts';
import type { CollectionResource } from '../resource/resource.ts';
import { success } from '../response.ts';
import type { Operation, Service } from '../service.ts';

/** Reads what has changed in a collection since the state of a delta link (Part 1, 11.3), as its query shows it. */
export function readChanges(
  service: Service,
  collection: CollectionResource,
  { deltaToken: _, ...options }: QueryOptions,
): Operation {
  const operation = changesOf(collection, options) ?? refuse();
  const prepared = prepareCollection(service, collection, options);
  const shape = shapeOf(service, collection, options, prepared, 'delta');
  const { resource, entityType } = collection;
  const idOf = entityUrl(resource, entityType);
  return async (request, version) => {
    const style = dataStyle(options.format, request, version);
    const since = service.deltaTokens.stateOf(request.target);
    const loading = { service, context: request };
    const read = { resource, entityType, operation, arguments: {}, since, ...wantedOf(collection, prepared) };
    const { changed, removed, next } = await service.source.readChanges(read, request);
    const { shown, left } = await sortOut(loading, prepared, changed, idOf);
    const gone: readonly RemovedEntity[] = [
      ...removed.map((key) => ({ id: idOf(key), reason: 'deleted' as const })),
      ...left.map((row) => ({ id: idOf(row), reason: 'changed' as const })),
    ];
    const rows = await prepared.expand(loading, shown);
    const count = options.count === true ? rows.length + gone.length : undefined;
    const deltaLink = service.root + service.deltaTokens.targetSince(request.target, next);
    const body = writeDelta(shape(style), rows, { path: resource, entities: gone }, { count, deltaLink });
    return success(version, style.contentType, body, appliedHeaders(style.preferences, ['omit-values']));
  };
}

function refuse(): ChangesOperation & never {
  const message = '$deltatoken: changes of this query are not tracked';
  throw new GatewayError('BadRequest', message, { target: '$deltatoken' });
}

/** With the key, by which clients know what has changed. */
function wantedOf(
  { entityType }: CollectionResource,
  { wanted: { properties, dynamic } }: PreparedCollection,
) {
  return { properties: [...new Set([...entityType.key, ...properties])], dynamic };
}

interface SortedOut {
  readonly shown: readonly Row[];
  /** Those that the query does not accept: they may have been among its results. */
  readonly left: readonly Row[];
}

async function sortOut(
  loading: Loading,
  prepared: PreparedCollection,
  changed: readonly Row[],
  idOf: (row: Row) => string,
): Promise<SortedOut> {
  const { rows: shown } = await prepared.run(loading, { data: changed, total: undefined });
  const accepted = new Set(shown.map(idOf));
  return { shown, left: changed.filter((row) => !accepted.has(idOf(row))) };
}
