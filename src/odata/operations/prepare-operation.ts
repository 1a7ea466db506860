import { type BudgetedRequest, type CallContext, createAnswerMemory } from '../../contract/exchange.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import { mayView } from '../../engine/load/load.ts';
import { castTo, isStream, unfiltered } from '../../engine/resource/navigation-source.ts';
import type {
  ActionResource,
  CollectionResource,
  EntityResource,
  PlaceOperations,
  PropertyResource,
  StreamResource,
  ValueResource,
} from '../../engine/resource/resource.ts';
import type { QueryOptions } from '../../engine/tree/query-tree.ts';
import type { TypeUse } from '../../model/edm.ts';
import { addedLink, type LinkChange, removedLink } from '../../model/link-change.ts';
import type { Model } from '../../model/model.ts';
import type { UpdateOperation } from '../../model/operation.ts';
import type { Permission } from '../../model/permission.ts';
import { isMediaInsert } from '../payload/negotiation/media-content.ts';
import { parseRequestTarget } from '../url/request-target.ts';
import { bindResource } from './bind/bind-resource.ts';
import { referencedEntity } from './bind/referenced-entity.ts';
import type { CountResource, Resource } from './bind/resource.ts';
import { runBatch } from './handlers/batch/run-batch.ts';
import { deleteEach, updateEach } from './handlers/change/change-each.ts';
import { changeProperty, changeRawValue, type PropertyMethod } from './handlers/change/change-property.ts';
import { addReference, removeReference } from './handlers/change/change-references.ts';
import { deleteStream, replaceStream } from './handlers/change/change-stream.ts';
import { createEntity } from './handlers/change/create-entity.ts';
import { deleteEntity } from './handlers/change/delete-entity.ts';
import { invokeAction } from './handlers/change/invoke-action.ts';
import { updateEntity } from './handlers/change/update-entity.ts';
import { readAll } from './handlers/read/read-all.ts';
import { readChanges } from './handlers/read/read-changes.ts';
import { countOptions, readCollection, readCount } from './handlers/read/read-collection.ts';
import { countCrossjoin, readCrossjoin } from './handlers/read/read-crossjoin.ts';
import { readEntity } from './handlers/read/read-entity.ts';
import { readMetadata, readServiceDocument } from './handlers/read/read-metadata.ts';
import { readReferences } from './handlers/read/read-references.ts';
import { callForStream, readStream } from './handlers/read/read-stream.ts';
import { countValues, readRawValue, readValue } from './handlers/read/read-value.ts';
import { methodNotAllowed, noContent } from './protocol/response.ts';
import { explainUnresolved } from './service/resolution-error.ts';
import type { RequestHandler, Service } from './service/service.ts';

/**
 * The handler for a method and a URL. Throws MethodNotAllowed for other methods; OPTIONS lists the allowed
 * ones.
 */
export function prepareOperation(whole: Service, request: BudgetedRequest): RequestHandler {
  const model = whole.readableTo(request.principal);
  const service = model === whole.model ? whole : { ...whole, model, answers: NO_ANSWERS };
  try {
    return prepareNamed(service, request);
  } catch (error) {
    throw explainUnresolved(service, request, error, prepareNamed);
  }
}

const NO_ANSWERS = createAnswerMemory(0);

function prepareNamed(service: Service, request: BudgetedRequest): RequestHandler {
  const { method, target } = request;
  const { resource, options } = bindTarget(service, target);
  const offered = methodHandlers(service, resource, options);
  const prepare = offered.get(method);
  if (prepare !== undefined) {
    return method === 'GET' ? permittedRead(service, resource, request, prepare) : prepare();
  }
  const allow = [
    ...[...offered.keys()].flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name])),
    'OPTIONS',
  ].join(', ');
  if (method === 'OPTIONS') return async (_, version) => noContent(version, { allow });
  throw methodNotAllowed(method, allow);
}

/** The resource of a URL and its query options. */
interface BoundTarget {
  readonly resource: Resource;
  readonly options: QueryOptions;
}

function bindTarget(service: Pick<Service, 'model' | 'root' | 'limits'>, target: string): BoundTarget {
  const { model, limits } = service;
  const { path, options } = parseRequestTarget(target, limits.url);
  assertSchemaVersion(model, options.schemaVersion);
  if (path.kind !== 'entity') return { resource: bindResource(service, path, options), options };
  const { id = '', ...others } = options;
  const entity = referencedEntity(service, { url: id, target: '$id' });
  const { typeName } = path;
  const resource = typeName === undefined ? entity : castTo(model, entity, typeName);
  if (resource === undefined) throw wrongId(`an entity of ${typeName}`);
  return { resource, options: others };
}

function wrongId(expected: string): GatewayError {
  return new GatewayError('BadRequest', `$id: expected ${expected}.`, { target: '$id' });
}

/** Whether the body of the request is a stream, which is forwarded while it is received. */
export function takesUpload(
  service: Pick<Service, 'model' | 'root' | 'limits'>,
  { method, target, headers }: Pick<BudgetedRequest, 'method' | 'target' | 'headers'>,
): boolean {
  if (method !== 'PUT' && method !== 'POST') return false;
  try {
    return isStreamOf(bindTarget(service, target).resource, method, headers['content-type']);
  } catch (error) {
    // Errors of the request are reported by its handler.
    if (error instanceof GatewayError) return false;
    throw error;
  }
}

function isStreamOf(resource: Resource, method: 'PUT' | 'POST', contentType: string | undefined): boolean {
  if (resource.kind === 'stream' && resource.origin.kind === 'entity') return method === 'PUT';
  if (resource.kind !== 'collection' || resource.origin.kind !== 'operations') return false;
  const { insert } = resource.origin.operations;
  return method === 'POST' && insert !== undefined && isMediaInsert(insert, contentType);
}

/** Reports a missing permission before any mistake in the request. */
function permittedRead(
  { source }: Service,
  resource: Resource,
  context: CallContext,
  prepare: () => RequestHandler,
): RequestHandler {
  try {
    return prepare();
  } catch (error) {
    for (const { resource: name, permission } of readDemands(resource))
      source.permit?.(name, permission, context);
    throw error;
  }
}

interface RequiredPermission {
  readonly resource: string;
  readonly permission: Permission;
}

/** The permissions for reading a resource; empty if all users may read it. */
function readDemands(resource: Resource): readonly RequiredPermission[] {
  switch (resource.kind) {
    case 'serviceDocument':
    case 'metadata':
    case 'batch':
    // `$all` returns only what may be viewed.
    case 'all':
      return [];
    case 'collection':
    case 'entity':
      return [{ resource: resource.resource, permission: resource.origin.kind === 'call' ? 'Call' : 'View' }];
    case 'crossjoin':
      return resource.sets.map(({ name }) => ({ resource: name, permission: 'View' }));
    case 'value':
    case 'stream':
      return resource.origin.kind === 'call'
        ? [called(resource.origin.call)]
        : readDemands(resource.origin.entity);
    case 'action':
      return [called(resource.call)];
    case 'count':
    case 'each':
    case 'rawValue':
    case 'references':
      return readDemands(resource.of);
  }
}

function called({ resource }: { readonly resource: string }): RequiredPermission {
  return { resource, permission: 'Call' };
}

/** Part 1, 11.2.12: `*` is the current version; unknown versions are NotFound. */
function assertSchemaVersion({ schemaVersion }: Model, wanted: string | undefined): void {
  if (wanted === undefined || wanted === '*' || wanted === schemaVersion) return;
  const known = schemaVersion === undefined ? 'the schema has no version' : `the version is ${schemaVersion}`;
  throw new GatewayError('NotFound', `$schemaversion: ${known}, found "${wanted.slice(0, 40)}".`, {
    target: '$schemaversion',
  });
}

/** Functions that prepare the handlers of a resource, by method. */
type Offered = ReadonlyMap<string, () => RequestHandler>;

/** The available methods, in order. */
function offer(handlers: Readonly<Record<string, (() => RequestHandler) | undefined>>): Offered {
  const offered = new Map<string, () => RequestHandler>();
  for (const [method, prepare] of Object.entries(handlers)) {
    if (prepare !== undefined) offered.set(method, prepare);
  }
  return offered;
}

/** The methods of a resource, as far as the upstream has operations. */
function methodHandlers(service: Service, resource: Resource, options: QueryOptions): Offered {
  switch (resource.kind) {
    case 'serviceDocument':
      return offer({ GET: () => readServiceDocument(service, options.format) });
    case 'metadata':
      return offer({ GET: () => readMetadata(service, options) });
    case 'batch':
      return offer({ POST: () => runBatch(service, options) });
    case 'collection':
      return onCollection(service, resource, options);
    case 'entity':
      return onEntity(service, resource, options);
    case 'value':
      return onValue(service, resource, options);
    case 'rawValue':
      return onRawValue(service, resource.of, options);
    case 'count': {
      const { of } = resource;
      const counting = countOptions(resource, options);
      return offer({ GET: () => countOf(service, of, counting) });
    }
    case 'crossjoin':
      return offer({ GET: () => readCrossjoin(service, resource, options) });
    case 'all':
      return offer({ GET: () => readAll(service, resource, options) });
    case 'each':
      return onEach(service, resource.of, options);
    case 'references':
      return onReferences(service, resource.of, options);
    case 'action':
      return offer({ POST: () => onAction(service, resource, options) });
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

function onCollection(service: Service, collection: CollectionResource, options: QueryOptions): Offered {
  const { origin } = collection;
  const isListed = origin.kind !== 'operations' || origin.operations.list !== undefined;
  const { insert }: Partial<Pick<PlaceOperations, 'insert'>> =
    origin.kind === 'operations' ? origin.operations : origin.kind === 'referring' ? origin : {};
  const read = options.deltaToken === undefined ? readCollection : readChanges;
  return offer({
    GET: isListed ? () => read(service, collection, options) : undefined,
    POST:
      insert &&
      (() =>
        permittedChange(service, collection, 'Insert', options, (asked) =>
          createEntity(service, collection, insert, asked),
        )),
  });
}

function onEntity(service: Service, entity: EntityResource, options: QueryOptions): Offered {
  const { update, delete: remove } = entity;
  const changeBy = (method: 'PATCH' | 'PUT') =>
    update &&
    (() =>
      permittedChange(service, entity, 'Update', options, (asked) =>
        updateEntity(service, entity, update, method, asked),
      ));
  return offer({
    GET: isReadable(entity) ? () => readEntity(service, entity, options) : undefined,
    PATCH: changeBy('PATCH'),
    PUT: changeBy('PUT'),
    DELETE:
      remove && (() => permitted(service, entity, 'Delete', deleteEntity(service, entity, remove, options))),
  });
}

function onEach(service: Service, collection: CollectionResource, options: QueryOptions): Offered {
  const { origin } = unfiltered(collection);
  if (origin.kind !== 'operations') return offer({});
  const { update, delete: remove } = origin.operations;
  return offer({
    PATCH:
      update &&
      (() => permitted(service, collection, 'Update', updateEach(service, collection, update, options))),
    DELETE:
      remove &&
      (() => permitted(service, collection, 'Delete', deleteEach(service, collection, remove, options))),
  });
}

function onAction(service: Service, { call }: ActionResource, options: QueryOptions): RequestHandler {
  const { returns } = call.callable;
  const isStreamed = returns !== undefined && isStream(returns);
  const invoke = isStreamed ? callForStream(service, call, options) : invokeAction(service, call, options);
  return permitted(service, call, 'Call', invoke);
}

function onStream(service: Service, { origin }: StreamResource, options: QueryOptions): Offered {
  if (origin.kind === 'call') return offer({ GET: () => callForStream(service, origin.call, options) });
  const { entity, operations } = origin;
  const { get, put, delete: remove } = operations;
  return offer({
    GET: get && (() => readStream(service, origin, get, options)),
    PUT: put && (() => permitted(service, entity, 'Update', replaceStream(service, origin, put, options))),
    DELETE:
      remove && (() => permitted(service, entity, 'Update', deleteStream(service, origin, remove, options))),
  });
}

/** An entity without an operation of its own is read from a list. */
function isReadable({ origin }: EntityResource): boolean {
  if (origin.kind !== 'member') return true;
  const { origin: listed } = origin.collection;
  return listed.kind !== 'operations' || listed.operations.list !== undefined;
}

/**
 * Links can be changed if the upstream has an operation for them; those of a collection one by one (Part 1,
 * 11.4.6).
 */
function onReferences(
  service: Service,
  of: CollectionResource | EntityResource,
  options: QueryOptions,
): Offered {
  const GET = () => readReferences(service, of, options);
  const { link } = of;
  if (link === undefined || of.origin.kind === 'filtered') return offer({ GET });
  const { owner, navigation } = link;
  const place = { type: owner.type, update: owner.update, navigation };
  const [added, removed] = [addedLink(place), removedLink(place)];
  const changed = (change: LinkChange) => (change.kind === 'related' ? of : owner);
  const add =
    added &&
    (() => permitted(service, changed(added), 'Update', addReference(service, link, added, options)));
  const member = of.kind === 'entity' ? of : undefined;
  const isMember = member !== undefined && navigation.collection;
  return offer({
    GET,
    [member === undefined ? 'POST' : 'PUT']: isMember ? undefined : add,
    DELETE:
      removed &&
      (() =>
        permitted(
          service,
          changed(removed),
          'Update',
          removeReference(service, link, removed, member, options),
        )),
  });
}

/** The methods of a property, a part of one, or a result. */
function onValue(service: Service, value: ValueResource, options: QueryOptions): Offered {
  const { use, origin } = value;
  const isUnreadable = origin.kind === 'property' && !origin.readable;
  return offer({
    GET: isUnreadable ? undefined : () => readValue(service, value, options),
    ...onChangedProperty(service, value, options, propertyMethods(use), changeProperty),
  });
}

/** Readable, replaceable and deletable values support the same methods for their raw value. */
function onRawValue(service: Service, value: ValueResource, options: QueryOptions): Offered {
  const { type, nullable } = value.use;
  const methods = nullable ? (['PUT', 'DELETE'] as const) : (['PUT'] as const);
  return offer({
    GET: () => readRawValue(service, value, options),
    ...(!type.name.startsWith('Edm.Geo') &&
      onChangedProperty(service, value, options, methods, changeRawValue)),
  });
}

/** The methods that change a property through the operation for its entity; empty without such an operation. */
function onChangedProperty<Method extends PropertyMethod>(
  service: Service,
  value: ValueResource,
  options: QueryOptions,
  methods: readonly Method[],
  change: (
    service: Service,
    value: PropertyResource,
    update: UpdateOperation,
    method: Method,
    options: QueryOptions,
  ) => RequestHandler,
): Readonly<Record<string, () => RequestHandler>> {
  const { origin } = value;
  const update = origin.kind === 'property' && origin.settable ? origin.entity.update : undefined;
  if (origin.kind !== 'property' || update === undefined) return {};
  const handlerOf = (method: Method) => () =>
    permittedChange(service, origin.entity, 'Update', options, (asked) =>
      change(service, { ...value, origin }, update, method, asked),
    );
  return Object.fromEntries(methods.map((method) => [method, handlerOf(method)]));
}

/** PATCH is for complex values, and DELETE for nullable values and collections (Part 1, 11.4.9). */
function propertyMethods({ type, collection, nullable }: TypeUse): readonly PropertyMethod[] {
  const isComplex = type.kind === 'complex' && !collection;
  return [
    'PUT',
    ...(isComplex ? (['PATCH'] as const) : []),
    ...(nullable || collection ? (['DELETE'] as const) : []),
  ];
}

/** Reports a missing permission before any mistake in the request. */
function permitted(
  { source }: Service,
  { resource }: { readonly resource: string },
  permission: Permission,
  operation: RequestHandler,
): RequestHandler {
  return async (request, version) => {
    source.permit?.(resource, permission, request);
    return operation(request, version);
  };
}

/**
 * Checks the permission for a change whose response may contain the changed entity: without permission to
 * view it, the response is minimal (Part 1, 8.2.8.7), regardless of `$select` and `$expand`.
 */
function permittedChange(
  service: Service,
  changed: { readonly resource: string },
  permission: 'Insert' | 'Update',
  options: QueryOptions,
  prepare: (options: QueryOptions) => RequestHandler,
): RequestHandler {
  const shown = prepare(options);
  return permitted(service, changed, permission, async (request, version) => {
    if (mayView(service.source, changed.resource, request)) return shown(request, version);
    const { select: _select, expand: _expand, ...others } = options;
    const headers = { ...request.headers, prefer: 'return=minimal' };
    return prepare(others)({ ...request, headers }, version);
  });
}
