import type { Row } from '../../../../contract/row.ts';
import { assertNavigation, loadEntity } from '../../../../engine/load/load.ts';
import { assertNoneMisplaced } from '../../../../engine/query/pipeline.ts';
import { prepareCollection, prepareEntity } from '../../../../engine/read/prepare-query.ts';
import {
  type CollectionResource,
  type EntityResource,
  notImplemented,
} from '../../../../engine/resource/resource.ts';
import type { QueryOptions } from '../../../../engine/tree/query-tree.ts';
import { writeReference, writeReferences } from '../../../payload/json/entity-reference.ts';
import { contextUrl } from '../../../payload/negotiation/context-url.ts';
import { appliedHeaders, dataStyle, noContent, success } from '../../protocol/response.ts';
import type { RequestHandler, Service } from '../../service/service.ts';
import { canonicalUrl } from '../../shape/entity-shape.ts';
import { loadPage, pageSize } from './read-collection.ts';

/** Reads references in place of entities (Part 1, 11.2.8). */
export function readReferences(
  service: Service,
  of: CollectionResource | EntityResource,
  options: QueryOptions,
): RequestHandler {
  assertNoneMisplaced(options, ['select', 'expand'], '/$ref');
  const idOf = canonicalUrl(of);
  if (idOf === undefined) throw notImplemented('/$ref of entities without a place of their own', '/$ref');
  return of.kind === 'collection'
    ? ofCollection(service, of, options, idOf)
    : ofEntity(service, of, options, idOf);
}

function ofCollection(
  service: Service,
  collection: CollectionResource,
  options: QueryOptions,
  idOf: (row: Row) => string,
): RequestHandler {
  const prepared = prepareCollection(service, collection, keyOnly(collection, options));
  return async (request, version) => {
    const { target } = request;
    const { format, contentType, preferences } = dataStyle(options.format, request, version);
    const page = service.paging.pageOf(target, pageSize(collection, preferences));
    const loading = { service, context: request };
    const read = { collection, prepared, options, page, target, form: 'page' } as const;
    const loaded = await loadPage(service, loading, read);
    const { rows: found, count } = await prepared.run(loading, loaded.snapshot);
    const { rows, nextLink } = loaded.cut(found);
    const context = contextUrl(service.root, { kind: 'references' }, version);
    const shape = { contextUrl: context, format, version };
    const { budget } = request;
    const body = await budget.run(writeReferences(shape, rows, idOf, { count, nextLink }, budget));
    return success(version, contentType, body, appliedHeaders(preferences, ['maxpagesize']));
  };
}

function ofEntity(
  service: Service,
  entity: EntityResource,
  options: QueryOptions,
  idOf: (row: Row) => string,
): RequestHandler {
  const { wanted } = prepareEntity(service, entity, keyOnly(entity, options));
  return async (request, version) => {
    const { format, contentType } = dataStyle(options.format, request, version);
    const loading = { service, context: request };
    const found = await loadEntity(loading, entity, wanted);
    if (found === undefined) {
      await assertNavigation(loading, entity);
      return noContent(version);
    }
    const context = contextUrl(service.root, { kind: 'reference' }, version);
    const body = writeReference({ contextUrl: context, format, version }, idOf(found.data));
    return success(version, contentType, body);
  };
}

/** References contain only keys. */
function keyOnly(of: CollectionResource | EntityResource, options: QueryOptions): QueryOptions {
  const { key } = of.type;
  if (key.length === 0) return options;
  return { ...options, select: key.map((name) => ({ path: [name], options: undefined, position: 0 })) };
}
