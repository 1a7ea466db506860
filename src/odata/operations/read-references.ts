import type { Row } from '../../contract/entity-source.ts';
import { contextUrl } from '../payload/context-url.ts';
import { writeReference, writeReferences } from '../payload/reference-json.ts';
import { compileEntityQuery, compileQuery } from '../query/compile-query.ts';
import { refuseMisplaced } from '../query/options.ts';
import type { QueryOptions } from '../url/tree.ts';
import { dataStyle } from './data-style.ts';
import { canonicalUrl } from './entity-shape.ts';
import { loadCollection, loadEntity, missingEntity } from './load.ts';
import type { CollectionResource, EntityResource } from './resource.ts';
import { notImplemented } from './resource-error.ts';
import { success } from './response.ts';
import type { Operation, Service } from './service.ts';

/** Reads the references of entities instead of the entities (Part 1, 11.2.8). */
export function readReferences(
  service: Service,
  of: CollectionResource | EntityResource,
  options: QueryOptions,
): Operation {
  refuseMisplaced(options, ['select', 'expand'], '/$ref');
  const idOf = canonicalUrl(of);
  if (idOf === undefined) throw notImplemented('/$ref of entities without a place of their own');
  return of.kind === 'collection'
    ? ofCollection(service, of, options, idOf)
    : ofEntity(service, of, options, idOf);
}

function ofCollection(
  service: Service,
  collection: CollectionResource,
  options: QueryOptions,
  idOf: (row: Row) => string,
): Operation {
  const query = compileQuery(service.model, collection.cast ?? collection.entityType, options);
  return async (request, version) => {
    const { format, contentType } = dataStyle(options.format, request, version);
    const { data } = await loadCollection({ service, context: request }, collection, query);
    const { rows, count } = query.run(data);
    const context = contextUrl(service.root, { kind: 'references' }, version);
    const body = writeReferences({ contextUrl: context, format, version }, rows.map(idOf), {
      count,
      nextLink: undefined,
    });
    return success(version, contentType, body);
  };
}

function ofEntity(
  service: Service,
  entity: EntityResource,
  options: QueryOptions,
  idOf: (row: Row) => string,
): Operation {
  const query = compileEntityQuery(service.model, entity.cast ?? entity.entityType, options);
  return async (request, version) => {
    const { format, contentType } = dataStyle(options.format, request, version);
    const found = await loadEntity({ service, context: request }, entity, query);
    if (found === undefined) throw missingEntity(entity);
    const context = contextUrl(service.root, { kind: 'reference' }, version);
    const body = writeReference({ contextUrl: context, format, version }, idOf(found.data));
    return success(version, contentType, body);
  };
}
