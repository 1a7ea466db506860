import type { Changes } from '../../../../contract/entity-source.ts';
import { GatewayError } from '../../../../contract/gateway-error.ts';
import type { Row } from '../../../../contract/row.ts';
import { requireCollection } from '../../../../engine/load/load.ts';
import { type PreparedCollection, prepareCollection } from '../../../../engine/read/prepare-query.ts';
import type { LoadContext } from '../../../../engine/resource/load-context.ts';
import { entityUrl } from '../../../../engine/resource/navigation-source.ts';
import type { CollectionResource } from '../../../../engine/resource/resource.ts';
import type { QueryOptions } from '../../../../engine/tree/query-tree.ts';
import type { ChangeFeed } from '../../../../model/change-feed.ts';
import { type RemovedEntity, writeDelta } from '../../../payload/json/delta-json.ts';
import { appliedHeaders, dataStyle, success } from '../../protocol/response.ts';
import type { RequestHandler, Service } from '../../service/service.ts';
import { shapeOf } from '../../shape/entity-shape.ts';
import { pageSize } from './read-collection.ts';
import {
  allFeeds,
  type FeedStates,
  readStates,
  type TrackedFeeds,
  trackedFeeds,
  writeStates,
} from './tracked-feeds.ts';

/** Reads the changes of a collection since the state of a delta link (Part 1, 11.3), for its query. */
export function readChanges(
  service: Service,
  collection: CollectionResource,
  { deltaToken: _, ...options }: QueryOptions,
): RequestHandler {
  const prepared = prepareCollection(service, collection, options);
  const feeds = trackedFeeds(collection, options, prepared) ?? refuse();
  const shape = shapeOf(service, collection, options, prepared, 'delta');
  const { resource, entityType } = collection;
  const idOf = entityUrl(resource, entityType);
  return async (request, version) => {
    const style = dataStyle(options.format, request, version);
    const since = readStates(service.deltaTokens.stateOf(request.target), feeds);
    const page = service.deltaPages.pageOf(request.target, pageSize(collection, style.preferences));
    const loading = { service, context: request };
    const changes = await changesSince(loading, { collection, prepared, feeds }, since);
    const { shown, gone } = await sortOut(loading, prepared, changes, idOf);
    const ids = [...gone.map(({ id }) => id), ...shown.map(idOf)];
    const state = page.next ?? writeStates(changes.states);
    const { isShown, nextLink } = service.deltaPages.cut(ids, page, state, request.target);
    const rows = await prepared.expand(
      loading,
      shown.filter((row) => isShown(idOf(row))),
    );
    const entities = gone.filter(({ id }) => isShown(id));
    const count = options.count === true ? ids.length : undefined;
    // The last page has the delta link for later changes.
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

function refuse(): TrackedFeeds & never {
  const message = '$deltatoken: changes of this query are not tracked';
  throw new GatewayError('BadRequest', message, { target: '$deltatoken' });
}

interface TrackedQuery {
  readonly collection: CollectionResource;
  readonly prepared: PreparedCollection;
  readonly feeds: TrackedFeeds;
}

/** The changes of the set's own entities in the feeds. */
interface CollectedChanges extends Pick<Changes, 'removed'> {
  readonly changed: readonly Row[];
  /** Entities whose representation may have changed because related entities have. */
  readonly affected: readonly Row[];
  /** Whether these may also have left the results. */
  readonly isConditionAffected: boolean;
  readonly states: FeedStates;
}

/**
 * Reads the feeds. They do not report the earlier relations of removed or moved entities: if another feed
 * reports a change, all entities of the set may be represented differently or have become results (Part 1,
 * 11.3). If only expanded entities have changed, the current results suffice.
 */
async function changesSince(
  loading: LoadContext,
  { collection, prepared, feeds }: TrackedQuery,
  since: FeedStates,
): Promise<CollectedChanges> {
  const { service, context } = loading;
  const { properties: wanted, dynamic } = prepared.wanted;
  const ofSet = new Map(
    await Promise.all(
      allFeeds(feeds).map(async ({ set, operation }) => {
        const { name, entityType } = set;
        const isOwn = name === feeds.own.set.name;
        // Clients identify changed entities by key.
        const properties = isOwn ? [...new Set([...entityType.key, ...wanted])] : entityType.key;
        const content = { properties, dynamic: isOwn && dynamic };
        const read = { resource: name, entityType, operation, arguments: {}, since: since.get(name) };
        return [name, await service.source.readChanges({ ...read, ...content }, context)] as const;
      }),
    ),
  );
  const hasChanged = ({ set }: ChangeFeed): boolean => {
    const { changed = [], removed = [] } = ofSet.get(set.name) ?? {};
    return changed.length + removed.length > 0;
  };
  const whole = { ...prepared.wanted, pushed: undefined };
  const isConditionAffected = feeds.ofConditions.some(hasChanged);
  const load = isConditionAffected ? whole : prepared.wanted;
  const isAffected = isConditionAffected || feeds.ofExpanded.some(hasChanged);
  const affected = isAffected ? (await requireCollection(loading, collection, load)).data : [];
  const { changed = [], removed = [] } = ofSet.get(feeds.own.set.name) ?? {};
  const states = new Map([...ofSet].map(([name, { next }]) => [name, next] as const));
  return { changed, removed, affected: await context.budget.rows(affected), isConditionAffected, states };
}

interface SortedOut {
  readonly shown: readonly Row[];
  readonly gone: readonly RemovedEntity[];
}

/** Entities that no longer match may have been results before; entities that exist again are not removed. */
async function sortOut(
  loading: LoadContext,
  prepared: PreparedCollection,
  { changed, affected, isConditionAffected, removed }: CollectedChanges,
  idOf: (row: Row) => string,
): Promise<SortedOut> {
  const present = new Map([...changed, ...affected].map((row) => [idOf(row), row] as const));
  const { rows: shown } = await prepared.run(loading, { data: [...present.values()], total: undefined });
  const accepted = new Set(shown.map(idOf));
  const deleted = removed.map(idOf).filter((id) => !present.has(id));
  const mayHaveLeft = isConditionAffected ? [...present.keys()] : changed.map(idOf);
  const left = mayHaveLeft.filter((id) => !accepted.has(id));
  return {
    shown,
    gone: [
      ...deleted.map((id) => ({ id, reason: 'deleted' as const })),
      ...left.map((id) => ({ id, reason: 'changed' as const })),
    ],
  };
}
