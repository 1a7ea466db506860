import type { Row, Snapshot } from '../../contract/entity-source.ts';
import { compileEntityQuery, compileQuery, type Projection } from '../query/compile-query.ts';
import type { QueryResult } from '../query/pipeline.ts';
import type { QueryOptions } from '../url/tree.ts';
import { compileExpand, type Expander } from './expand.ts';
import type { Loading, Wanted } from './load.ts';
import { entityOf } from './related-rows.ts';
import type { CollectionResource, EntityResource } from './resource.ts';
import type { Service } from './service.ts';

/** The query options of a request, compiled. */
export interface Prepared {
  readonly query: Projection;
  readonly expander: Expander | undefined;
  /** What is to be loaded for both. */
  readonly wanted: Wanted;
}

/** The options of a collection. */
export interface PreparedCollection extends Prepared {
  readonly run: (loading: Loading, rows: readonly Row[]) => Promise<QueryResult>;
}

/** The options of a single entity. */
export interface PreparedEntity extends Prepared {
  readonly run: (loading: Loading, row: Row) => Promise<Row>;
}

export function prepareCollection(
  { model }: Service,
  collection: CollectionResource,
  { expand, ...options }: QueryOptions,
): PreparedCollection {
  const type = collection.cast ?? collection.entityType;
  const query = compileQuery(model, type, options);
  const expander = compileExpand({ model, aliases: options.aliases }, type, expand);
  return {
    query,
    expander,
    wanted: wantedFor(query, expander),
    async run(loading, rows) {
      const result = query.run(rows);
      if (expander === undefined) return result;
      const entities = result.rows.map((row) => entityOf(collection, row));
      return { ...result, rows: await expander.expand(loading, entities) };
    },
  };
}

/** `place` is where the entity is: itself, or the collection that it is new in. */
export function prepareEntity(
  { model }: Service,
  place: CollectionResource | EntityResource,
  { expand, ...options }: QueryOptions,
): PreparedEntity {
  const type = place.cast ?? place.entityType;
  const query = compileEntityQuery(model, type, options);
  const expander = compileExpand({ model, aliases: options.aliases }, type, expand);
  return {
    query,
    expander,
    wanted: wantedFor(query, expander),
    async run(loading, row) {
      const found = query.run(row);
      if (expander === undefined) return found;
      const [expanded] = await expander.expand(loading, [entityOf(place, found)]);
      return expanded ?? found;
    },
  };
}

function wantedFor({ properties, dynamic }: Projection, expander: Expander | undefined): Wanted {
  if (expander === undefined) return { properties, dynamic };
  return { properties: [...new Set([...properties, ...expander.properties])], dynamic };
}

/**
 * The version under which an answer may be kept: none where it changes by itself, or where the related
 * entities may have changed though those they are related to have not.
 */
export function answerVersion(
  { query, expander }: Prepared,
  { version }: Pick<Snapshot<unknown>, 'version'>,
): number | undefined {
  return query.repeatable && expander === undefined ? version : undefined;
}
