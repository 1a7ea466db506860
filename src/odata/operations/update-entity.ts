import type { Row, Value } from '../../contract/entity-source.ts';
import type { EntityType } from '../../model/edm.ts';
import type { UpdateOperation } from '../../model/operation.ts';
import { isReadable } from '../../model/readable-property.ts';
import type { StructuralProperty } from '../../model/structured-type.ts';
import { DEFAULT_JSON } from '../payload/format.ts';
import { writeEntity } from '../payload/json.ts';
import { demandJsonContent, readEntityBody } from '../payload/request-body.ts';
import type { QueryOptions } from '../url/tree.ts';
import { appliedHeaders, type DataStyle, dataStyle } from './data-style.ts';
import { refuseDeepChanges } from './deep-changes.ts';
import { shapeOf } from './entity-shape.ts';
import { demandEntity, type Loading, missingEntity, operationArguments } from './load.ts';
import { prepareEntity } from './prepare-query.ts';
import type { EntityResource } from './resource.ts';
import { noContent, success } from './response.ts';
import type { Operation, Service } from './service.ts';

/**
 * Changes an entity: PATCH some of its properties (Part 1, 11.4.3), PUT all of them (11.4.4). Where the
 * upstream has only the other method, what it needs beside the body is added.
 */
export function updateEntity(
  service: Service,
  entity: EntityResource,
  operation: UpdateOperation,
  method: 'PATCH' | 'PUT',
  options: QueryOptions,
): Operation {
  const { model, source } = service;
  const { resource, entityType } = entity;
  const type = entity.cast ?? entityType;
  const prepared = prepareEntity(service, entity, options);
  const shape = shapeOf(service, entity, options, prepared);
  return async (request, version) => {
    const loading: Loading = { service, context: request };
    const style = dataStyle(options.format, request, version);
    demandJsonContent(request.headers['content-type']);
    const kind = method === 'PATCH' ? 'update' : 'replace';
    const read = readEntityBody(model, type, request.body, { kind, verbatim: false });
    refuseDeepChanges(read);
    const args = await operationArguments(loading, operation, entity);
    if (args === undefined) throw missingEntity(entity);
    const body =
      method === operation.method ? read.bytes : await completed(loading, entity, read.values, method);
    const wanted = { resource, entityType: type, operation, arguments: args, ...prepared.wanted, body };
    const changed = await source.update(wanted, request);
    if (!prefersRepresentation(style, options)) return noContent(version);
    const row = changed ?? (await demandEntity(loading, entity, prepared.wanted)).data;
    const shown = writeEntity(shape(style), await prepared.run(loading, row));
    return success(
      version,
      style.contentType,
      shown,
      appliedHeaders(style.preferences, ['return', 'omit-values']),
    );
  };
}

function prefersRepresentation({ preferences }: DataStyle, { select, expand }: QueryOptions): boolean {
  return select !== undefined || expand !== undefined || preferences.return === 'representation';
}

/**
 * The whole entity for an upstream that knows only PUT, the rest of it as it is now; for one that knows only
 * PATCH, with what the client left out as it is when nobody sets it.
 */
async function completed(
  loading: Loading,
  entity: EntityResource,
  values: Row,
  method: 'PATCH' | 'PUT',
): Promise<Uint8Array> {
  const type = entity.cast ?? entity.entityType;
  const settable = [...type.structuralProperties.values()].filter(isSettable);
  const rest = method === 'PATCH' ? await present(loading, entity, settable) : unset(settable, type);
  return Buffer.from(entityJson(loading, type, merged(rest, values)));
}

function isSettable(property: StructuralProperty): boolean {
  return isReadable(property) && !property.computed;
}

async function present(
  loading: Loading,
  entity: EntityResource,
  settable: readonly StructuralProperty[],
): Promise<Row> {
  const properties = settable.map(({ name }) => name);
  const { data } = await demandEntity(loading, entity, { properties, dynamic: false });
  return data;
}

function unset(settable: readonly StructuralProperty[], { key }: EntityType): Row {
  const optional = settable.filter(({ name, nullable }) => nullable && !key.includes(name));
  return Object.fromEntries(optional.map(({ name, collection }) => [name, collection ? [] : null]));
}

/** Of a complex value, too, the client gives a part (Part 1, 11.4.3). */
function merged(present: Row, change: Row): Row {
  const members = Object.entries(change).map(([name, value]) => {
    const before = present[name];
    return [name, isObject(value) && isObject(before) ? merged(before, value) : value] as const;
  });
  return { ...present, ...Object.fromEntries(members) };
}

function isObject(value: Value | undefined): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** By the model's names, every number with all its digits. */
function entityJson({ service: { model } }: Loading, entityType: EntityType, row: Row): string {
  return writeEntity(
    {
      model,
      entityType,
      canonical: undefined,
      computed: new Map(),
      shown: Object.keys(row),
      exact: true,
      contextUrl: '',
      format: { ...DEFAULT_JSON, metadata: 'none' },
      version: '4.01',
    },
    row,
  );
}
