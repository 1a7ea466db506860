import { isStream, unfiltered } from '../../engine/resource/place.ts';
import type {
  ActionResource,
  CollectionResource,
  EntityResource,
  StreamResource,
} from '../../engine/resource/resource.ts';
import type { QueryOptions } from '../../engine/tree/options-tree.ts';
import type { CountResource, Resource } from './bind/resource.ts';
import { runBatch } from './handlers/batch/run-batch.ts';
import { deleteEach, updateEach } from './handlers/change/change-each.ts';
import { deleteStream, replaceStream } from './handlers/change/change-stream.ts';
import { createEntity } from './handlers/change/create-entity.ts';
import { deleteEntity } from './handlers/change/delete-entity.ts';
import { invokeAction } from './handlers/change/invoke-action.ts';
import { updateEntity } from './handlers/change/update-entity.ts';
import { countValues } from './handlers/read/count-values.ts';
import { readAll } from './handlers/read/read-all.ts';
import { readChanges } from './handlers/read/read-changes.ts';
import { readCollection } from './handlers/read/read-collection.ts';
import { countOptions, readCount } from './handlers/read/read-count.ts';
import { countCrossjoin, readCrossjoin } from './handlers/read/read-crossjoin.ts';
import { readEntity } from './handlers/read/read-entity.ts';
import { readMetadata } from './handlers/read/read-metadata.ts';
import { readServiceDocument } from './handlers/read/read-service-document.ts';
import { callForStream, readStream } from './handlers/read/read-stream.ts';
import { offeredOnReferences } from './reference-methods.ts';
import { permitted } from './service/permitted.ts';
import { permittedChange } from './service/permitted-change.ts';
import type { RequestHandler, Service } from './service/service.ts';
import { offeredOnRawValue, offeredOnValue } from './value-methods.ts';

/** How to prepare what a method does with a resource. */
type Offered = ReadonlyMap<string, () => RequestHandler>;

/** What can be done with a resource, by method: only what the upstream has an operation for. */
export function methodHandlers(service: Service, resource: Resource, options: QueryOptions): Offered {
  switch (resource.kind) {
    case 'serviceDocument':
      return reading(() => readServiceDocument(service, options.format));
    case 'metadata':
      return reading(() => readMetadata(service, options.format));
    case 'batch':
      return new Map([['POST', () => runBatch(service, options)]]);
    case 'collection':
      return onCollection(service, resource, options);
    case 'entity':
      return onEntity(service, resource, options);
    case 'value':
      return offeredOnValue(service, resource, options);
    case 'rawValue':
      return offeredOnRawValue(service, resource.of, options);
    case 'count': {
      const { of } = resource;
      const counting = countOptions(resource, options);
      return reading(() => countOf(service, of, counting));
    }
    case 'crossjoin':
      return reading(() => readCrossjoin(service, resource, options));
    case 'all':
      return reading(() => readAll(service, resource, options));
    case 'each':
      return onEach(service, resource.of, options);
    case 'references':
      return offeredOnReferences(service, resource.of, options);
    case 'action':
      return new Map([['POST', () => onAction(service, resource, options)]]);
    case 'stream':
      return onStream(service, resource, options);
  }
}

function countOf(service: Service, of: CountResource['of'], options: QueryOptions): RequestHandler {
  switch (of.kind) {
    case 'collection':
      return readCount(service, of, options);
    case 'crossjoin':
      return countCrossjoin(service, of, options);
    case 'value':
      return countValues(service, of, options);
  }
}

function reading(prepare: () => RequestHandler): Offered {
  return new Map([['GET', prepare]]);
}

function onCollection(service: Service, collection: CollectionResource, options: QueryOptions): Offered {
  const offered = new Map<string, () => RequestHandler>();
  const { origin } = collection;
  const isListed = origin.kind !== 'operations' || origin.operations.list !== undefined;
  const insert = origin.kind === 'operations' ? origin.operations.insert : undefined;
  const read = options.deltaToken === undefined ? readCollection : readChanges;
  if (isListed) offered.set('GET', () => read(service, collection, options));
  if (insert !== undefined) {
    offered.set('POST', () =>
      permittedChange(service, collection, 'Insert', options, (asked) =>
        createEntity(service, collection, insert, asked),
      ),
    );
  }
  return offered;
}

function onEntity(service: Service, entity: EntityResource, options: QueryOptions): Offered {
  const offered = new Map<string, () => RequestHandler>();
  const { update, delete: remove } = entity;
  if (isReadable(entity)) offered.set('GET', () => readEntity(service, entity, options));
  if (update !== undefined) {
    for (const method of ['PATCH', 'PUT'] as const) {
      offered.set(method, () =>
        permittedChange(service, entity, 'Update', options, (asked) =>
          updateEntity(service, entity, update, method, asked),
        ),
      );
    }
  }
  if (remove !== undefined) {
    offered.set('DELETE', () =>
      permitted(service, entity, 'Delete', deleteEntity(service, entity, remove, options)),
    );
  }
  return offered;
}

function onEach(service: Service, collection: CollectionResource, options: QueryOptions): Offered {
  const offered = new Map<string, () => RequestHandler>();
  const { origin } = unfiltered(collection);
  if (origin.kind !== 'operations') return offered;
  const { update, delete: remove } = origin.operations;
  if (update !== undefined) {
    offered.set('PATCH', () =>
      permitted(service, collection, 'Update', updateEach(service, collection, update, options)),
    );
  }
  if (remove !== undefined) {
    offered.set('DELETE', () =>
      permitted(service, collection, 'Delete', deleteEach(service, collection, remove, options)),
    );
  }
  return offered;
}

function onAction(service: Service, { call }: ActionResource, options: QueryOptions): RequestHandler {
  const { returns } = call.callable;
  const isStreamed = returns !== undefined && isStream(returns);
  const invoke = isStreamed ? callForStream(service, call, options) : invokeAction(service, call, options);
  return permitted(service, call, 'Call', invoke);
}

function onStream(service: Service, { origin }: StreamResource, options: QueryOptions): Offered {
  if (origin.kind === 'call') return reading(() => callForStream(service, origin.call, options));
  const { get, put, delete: remove } = origin.operations;
  const offered = new Map<string, () => RequestHandler>();
  if (get !== undefined) offered.set('GET', () => readStream(service, origin, get, options));
  const { entity } = origin;
  if (put !== undefined) {
    offered.set('PUT', () =>
      permitted(service, entity, 'Update', replaceStream(service, origin, put, options)),
    );
  }
  if (remove !== undefined) {
    offered.set('DELETE', () =>
      permitted(service, entity, 'Update', deleteStream(service, origin, remove, options)),
    );
  }
  return offered;
}

/** An entity without an operation of its own is one of a list. */
function isReadable({ origin }: EntityResource): boolean {
  if (origin.kind !== 'member') return true;
  const { origin: listed } = origin.collection;
  return listed.kind !== 'operations' || listed.operations.list !== undefined;
}
