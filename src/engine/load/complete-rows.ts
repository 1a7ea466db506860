import { GatewayError } from '../../contract/gateway-error.ts';
import type { Row } from '../../contract/row.ts';
import type { Rows } from '../../contract/rows.ts';
import type { Loading } from '../resource/loading.ts';
import { entityByKey } from '../resource/place.ts';
import type { CollectionResource } from '../resource/resource.ts';
import type { QueryOptions } from '../tree/options-tree.ts';
import { loadEntity } from './load.ts';
import { mapConcurrently } from './map-concurrently.ts';
import { entityOf } from './related-rows.ts';

/** The most entities that one query reads by themselves. */
const MOST_READS = 100;

/** How many of them are under way at a time. */
const CONCURRENT_READS = 8;

/** What a list does not say of its entities, and a query asks for. */
export interface MissingProperties {
  /** What conditions, orders and computations read: it is needed of all entities. */
  readonly before: readonly string[];
  /** What is only shown: it is needed of the entities that the answer has. */
  readonly after: readonly string[];
}

const NOTHING: MissingProperties = { before: [], after: [] };

/**
 * The properties that a query names and the list of its collection lacks. Without `$select`, what a list lacks is null:
 * nobody has asked for it.
 */
export function missingProperties(
  { origin }: CollectionResource,
  { select, filter, orderBy, compute, apply }: Omit<QueryOptions, 'expand'>,
): MissingProperties {
  const operations = origin.kind === 'operations' ? origin.operations : undefined;
  const lacking = operations?.list?.lacks ?? [];
  if (lacking.length === 0 || operations?.read === undefined) return NOTHING;
  const read = namesIn([filter, orderBy, compute, apply]);
  const shown = namesIn(select);
  const before = lacking.filter((name) => read.has(name));
  return { before, after: lacking.filter((name) => shown.has(name) && !read.has(name)) };
}

/** All names that stand in trees of a URL. */
function namesIn(tree: unknown, found: Set<string> = new Set()): ReadonlySet<string> {
  if (typeof tree === 'string') found.add(tree);
  else if (typeof tree === 'object' && tree !== null) {
    for (const part of Object.values(tree)) namesIn(part, found);
  }
  return found;
}

/** The rows with those properties as the read of each entity has them. */
export async function completeRows(
  loading: Loading,
  collection: CollectionResource,
  rows: Rows,
  properties: readonly string[],
): Promise<Rows> {
  if (properties.length === 0) return rows;
  if (rows.length > MOST_READS) throw tooManyReads(properties, rows.length);
  const wanted = { properties, dynamic: false };
  return mapConcurrently(await loading.context.budget.rows(rows), CONCURRENT_READS, async (row) => {
    const { known } = entityOf(collection, row);
    const found = await loadEntity(loading, entityByKey(collection, keyOf(collection, known)), wanted);
    return found === undefined ? row : { ...row, ...found.data };
  });
}

function keyOf({ entityType }: CollectionResource, row: Row): Row {
  return Object.fromEntries(entityType.key.map((name) => [name, row[name] ?? null]));
}

function tooManyReads(properties: readonly string[], found: number): GatewayError {
  const names = properties.join(', ');
  const message = `The list does not tell ${names}: each entity is read by itself for it. Expected at most ${MOST_READS} entities, found ${found}; other conditions, or $top, leave fewer.`;
  return new GatewayError('BadRequest', message);
}
