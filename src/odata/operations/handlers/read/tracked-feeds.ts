import type { CallContext } from '../../../../contract/exchange.ts';
import { GatewayError } from '../../../../contract/gateway-error.ts';
import type { BoundExpand, CompiledExpand, Expander } from '../../../../engine/expand/bind-expand.ts';
import type { Prepared } from '../../../../engine/read/prepare-query.ts';
import type { CollectionResource } from '../../../../engine/resource/resource.ts';
import type { RelatedReads } from '../../../../engine/scope/scope.ts';
import type { QueryOptions } from '../../../../engine/tree/query-tree.ts';
import { type ChangeFeed, changeFeed, feedsBehind } from '../../../../model/change-feed.ts';
import type { EntityType } from '../../../../model/edm.ts';
import type { Service } from '../../service/service.ts';

/** The feeds that together report every change of a query's results (Part 1, 11.3). */
export interface TrackedFeeds {
  /** The feed of the set itself. */
  readonly own: ChangeFeed;
  /** The feeds of the sets used in conditions, computed values and orders. */
  readonly ofConditions: readonly ChangeFeed[];
  /** The feeds of the sets whose entities are expanded. */
  readonly ofExpanded: readonly ChangeFeed[];
}

/**
 * The feeds for a query. Undefined if some changes of the results are in no feed: for resources other than
 * whole sets, for results that depend on several entities, and for data that no feed reports.
 */
export function trackedFeeds(
  { origin, isCast, entitySet, path, type }: CollectionResource,
  { top, skip, apply }: QueryOptions,
  { query, expander }: Prepared,
): TrackedFeeds | undefined {
  const isWholeSet = origin.kind === 'operations' && origin.owner === undefined && path === entitySet?.name;
  const isOfEach = top === undefined && skip === undefined && apply === undefined;
  const own = isWholeSet && isOfEach && !isCast ? changeFeed(entitySet) : undefined;
  const ofConditions = own && feedsOfQuery(type, query);
  const ofExpanded = own && feedsOfExpanded(expander);
  return own && ofConditions && ofExpanded && { own, ofConditions, ofExpanded };
}

/** Undefined if some changes are in no feed. */
type Feeds = readonly ChangeFeed[] | undefined;

function together(parts: readonly Feeds[]): Feeds {
  const feeds = parts.flatMap((part) => part ?? []);
  return parts.includes(undefined) ? undefined : feeds;
}

/** No feed reports changes of function results, the time, or paths from `$root`. */
function feedsOfQuery(type: EntityType, { related, roots, calls, repeatable }: Prepared['query']): Feeds {
  if (roots.length + calls.length > 0 || !repeatable) return undefined;
  return together([...related.values()].map((reads) => feedsOfReads(type, reads)));
}

function feedsOfReads(owner: EntityType, { navigation, related, calls }: RelatedReads): Feeds {
  if (calls !== undefined && calls.size > 0) return undefined;
  const behind = [...related.values()].map((reads) => feedsOfReads(navigation.entityType, reads));
  return together([feedsBehind(owner, navigation), ...behind]);
}

/** No feed reports changes of streams. */
function feedsOfExpanded(expander: Pick<Expander, 'items' | 'streams'> | undefined): Feeds {
  if (expander === undefined) return [];
  return expander.streams.length > 0 ? undefined : together(expander.items.map(feedsOfItem));
}

function feedsOfItem({ bound, query, nested }: CompiledExpand): Feeds {
  return together([feedsOfLink(bound), feedsOfQuery(bound.type, query), feedsOfExpanded(nested)]);
}

/**
 * Properties of complex values are not compared with related entities, so only contained entities are
 * reported.
 */
function feedsOfLink({ owner, within, navigation }: BoundExpand): Feeds {
  const isContained = navigation.origin.kind === 'embedded' && navigation.target === undefined;
  return within.length > 0 && !isContained ? undefined : feedsBehind(owner, navigation);
}

export function allFeeds({ own, ofConditions, ofExpanded }: TrackedFeeds): readonly ChangeFeed[] {
  return [...new Map([own, ...ofConditions, ...ofExpanded].map((feed) => [feed.set.name, feed])).values()];
}

/** State tokens by the name of the feed's set. */
export type FeedStates = ReadonlyMap<string, string>;

/**
 * The state for the delta link of the response (Part 1, 8.2.8.7). Read before the data, so that changes in
 * between are reported twice rather than never.
 */
export async function presentStates(
  { source }: Pick<Service, 'source'>,
  feeds: TrackedFeeds,
  context: CallContext,
): Promise<FeedStates> {
  const states = allFeeds(feeds).map(async ({ set, operation }) => {
    const { name, entityType } = set;
    const { key: properties } = entityType;
    const read = { resource: name, entityType, properties, operation, arguments: {}, since: undefined };
    return [name, (await source.readChanges(read, context)).next] as const;
  });
  return new Map(await Promise.all(states));
}

export function writeStates(states: FeedStates): string {
  return JSON.stringify([...states]);
}

/** Reads the states of a token. Throws Gone if it is for other feeds, because the document has changed. */
export function readStates(text: string, feeds: TrackedFeeds): FeedStates {
  const states = new Map(pairsOf(text));
  if (allFeeds(feeds).every(({ set }) => states.has(set.name))) return states;
  const message = '$deltatoken: the changes since then are no longer known; read the collection again.';
  throw new GatewayError('Gone', message, { target: '$deltatoken' });
}

/** Parses a signed token, in this format or that of an earlier version. */
function pairsOf(text: string): readonly (readonly [string, string])[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.filter(isPair) : [];
  } catch {
    return [];
  }
}

function isPair(value: unknown): value is readonly [string, string] {
  return Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === 'string');
}
