import type { CallableCall, CollectionRead, EntityRead, EntitySource } from '../../contract/entity-source.ts';
import type { CallContext } from '../../contract/exchange.ts';
import type { Permissions } from '../../contract/permissions.ts';
import { type Row, type Rows, signsOf, TYPE, type Value } from '../../contract/row.ts';
import type { EntityType, StructuredType, TypeUse } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import type { Permission } from '../../model/permission.ts';
import { relatedResourceName } from '../../model/resource-grants.ts';
import { type HeldResources, heldResources } from './held-resources.ts';
import { readableModels } from './readable-model.ts';

/** Checks permissions before it calls the source, so that nothing forbidden reaches the upstream. */
export function guardSource(source: EntitySource, permissions: Permissions, model: Model): EntitySource {
  const guard = createGuard(permissions, model);
  return {
    permit: (resource, permission, call) => guard.demand(call, { resource }, permission),
    estimateOf: (operation) => source.estimateOf?.(operation),
    ...guardedReads(source, guard),
    ...guardedChanges(source, guard),
    ...guardedCalls(source, guard),
    ...guardedStreams(source, guard),
  };
}

/** The checks for one call, and the filter of its response. */
interface Guard {
  readonly model: Model;
  demand(call: CallContext, asked: { readonly resource: string }, permission: Permission): void;
  /**
   * Requires the permission, and the permission to view everything that is embedded in the requested
   * entities.
   */
  assertWanted(call: CallContext, wanted: RequestedEntities, permission: Permission): void;
  /** Requires the permission to view everything that a call returns. */
  assertReturned(call: CallContext, callable: CallableCall): void;
  /** The filter of what the principal may see of a response; undefined if nothing is hidden. */
  partFor(call: CallContext): WithoutHidden | undefined;
}

function createGuard(permissions: Permissions, model: Model): Guard {
  const held = heldResources(model.description);
  const readableTo = readableModels(model);
  const demand: Guard['demand'] = ({ principal }, { resource }, permission) =>
    permissions.demand(principal, resource, permission);
  const assertViews = (call: CallContext, resources: readonly string[]): void => {
    for (const resource of new Set(resources)) demand(call, { resource }, 'View');
  };
  return {
    model,
    demand,
    assertWanted(call, wanted, permission) {
      demand(call, wanted, permission);
      assertViews(call, embeddedResources(model, wanted));
      assertViews(call, wanted.related ?? []);
      // A principal who may read the whole model may see everything embedded.
      if (readableTo(call.principal) !== model) assertViews(call, heldByWanted(model, held, wanted));
    },
    assertReturned: (call, callable) => assertViews(call, returnedResources(model, held, callable)),
    partFor({ principal }) {
      const readable = readableTo(principal);
      return readable === model ? undefined : new WithoutHidden(model, readable);
    },
  };
}

function guardedReads(
  source: EntitySource,
  { model, assertWanted, partFor }: Guard,
): Pick<EntitySource, 'readCollection' | 'readChanges' | 'readEntity'> {
  return {
    async readCollection(read, call) {
      assertWanted(call, read, 'View');
      const part = partFor(call);
      const snapshot = await source.readCollection(sieving(part, ofModel(model, read)), call);
      if (part === undefined) return snapshot;
      // The version is dropped, because rows made of a part must not be reused for others.
      return { ...snapshot, data: part.rows(read.entityType.name, snapshot.data), version: undefined };
    },
    async readChanges(read, call) {
      assertWanted(call, read, 'View');
      const changes = await source.readChanges(ofModel(model, read), call);
      const part = partFor(call);
      if (part === undefined) return changes;
      return { ...changes, changed: changes.changed.map((row) => part.row(read.entityType.name, row)) };
    },
    async readEntity(read, call) {
      assertWanted(call, read, 'View');
      const part = partFor(call);
      const reading = source.readEntity(ofModel(model, read), call);
      const found = part && (await reading);
      if (part === undefined || found === undefined) return reading;
      const data = part.row(read.entityType.name, found.data);
      return { ...found, data, version: undefined, digest: undefined };
    },
  };
}

function guardedChanges(
  source: EntitySource,
  { model, demand, assertWanted, partFor }: Guard,
): Pick<EntitySource, 'insert' | 'update' | 'delete'> {
  const shown = (
    call: CallContext,
    { entityType }: RequestedEntities,
    row: Row | undefined,
  ): Row | undefined => row && (partFor(call)?.row(entityType.name, row) ?? row);
  return {
    async insert(insert, call) {
      assertWanted(call, insert, 'Insert');
      return shown(call, insert, await source.insert(ofModel(model, insert), call));
    },
    async update(update, call) {
      assertWanted(call, update, 'Update');
      return shown(call, update, await source.update(ofModel(model, update), call));
    },
    async delete(remove, call) {
      demand(call, remove, 'Delete');
      return source.delete(remove, call);
    },
  };
}

function guardedCalls(
  source: EntitySource,
  { demand, assertReturned, partFor }: Guard,
): Pick<EntitySource, 'call'> {
  return {
    async call(callable, call) {
      demand(call, callable, callable.kind === 'reference' ? 'Update' : 'Call');
      assertReturned(call, callable);
      const snapshot = await source.call(callable, call);
      const part = partFor(call);
      if (part === undefined || callable.returns === undefined) return snapshot;
      return { data: part.value(callable.returns, snapshot.data), version: undefined };
    },
  };
}

function guardedStreams(
  source: EntitySource,
  { demand }: Guard,
): Pick<EntitySource, 'readStream' | 'writeStream' | 'deleteStream'> {
  return {
    async readStream(read, call) {
      demand(call, read, read.kind === 'call' ? 'Call' : 'View');
      return source.readStream(read, call);
    },
    async writeStream(write, call) {
      demand(call, write, 'Update');
      return source.writeStream(write, call);
    },
    async deleteStream(remove, call) {
      demand(call, remove, 'Update');
      return source.deleteStream(remove, call);
    },
  };
}

/** The requested properties and relations of entities. */
type RequestedEntities = Pick<
  EntityRead,
  'resource' | 'entityType' | 'properties' | 'dynamic' | 'related' | 'whole'
>;

/** The read with a sieve and a sink that see only what the principal may see. */
function sieving(visible: WithoutHidden | undefined, read: CollectionRead): CollectionRead {
  if (visible === undefined) return read;
  const { part, sink, entityType } = read;
  const { sieve } = part ?? {};
  const shown = (rows: Rows): Rows => visible.rows(entityType.name, rows);
  const take = sieve && ((rows: Rows) => sieve.take(shown(rows)));
  const put = sink && ((rows: Rows, total: number | undefined) => sink.put(shown(rows), total));
  return {
    ...read,
    ...(part && sieve && take && { part: { ...part, sieve: { ...sieve, take } } }),
    ...(sink && put && { sink: { isPaced: sink.isPaced, needsTotal: sink.needsTotal === true, put } }),
  };
}

/** Replaces the entity type of a filtered model by that of the full model. */
function ofModel<Read extends Pick<RequestedEntities, 'entityType'>>(
  { entityTypes }: Model,
  read: Read,
): Read {
  const entityType = entityTypes.get(read.entityType.name);
  return entityType === undefined || entityType === read.entityType ? read : { ...read, entityType };
}

/** The resources of requested entities that are embedded in the JSON of others. */
function embeddedResources(
  model: Model,
  { entityType, properties }: Pick<RequestedEntities, 'entityType' | 'properties'>,
): readonly string[] {
  const related = properties.filter((name) => !entityType.structuralProperties.has(name));
  if (related.length === 0) return [];
  return familyOf(model, entityType)
    .flatMap((type) => related.flatMap((name) => type.navigationProperties.get(name) ?? []))
    .flatMap((navigation) => relatedResourceName(navigation) ?? []);
}

/**
 * The resources of entities that the requested values may contain; for returned values, of all that is read.
 */
function heldByWanted(
  model: Model,
  held: HeldResources,
  { entityType, properties, dynamic = false, whole = false }: RequestedEntities,
): readonly string[] {
  if (whole) return held.ofContent(entityType.name);
  return familyOf(model, entityType).flatMap((type) => [
    ...(dynamic ? held.ofUndeclared(type) : []),
    ...properties.flatMap((name) => {
      const property = type.structuralProperties.get(name);
      return property === undefined ? [] : held.ofUse(property);
    }),
  ]);
}

/**
 * The resources of the entities that a call returns, of the requested ones within them, and of those
 * contained in values.
 */
function returnedResources(
  model: Model,
  held: HeldResources,
  { returns, embedded = [] }: CallableCall,
): readonly string[] {
  if (returns === undefined) return [];
  const { type: entityType } = returns;
  if (entityType.kind !== 'entity') return held.ofUse(returns);
  return [
    ...held.ofEntity(entityType.name),
    ...embeddedResources(model, { entityType, properties: embedded }),
  ];
}

function familyOf({ entityTypes }: Model, { name }: EntityType): readonly EntityType[] {
  const type = entityTypes.get(name);
  return type === undefined ? [] : [type, ...type.derived];
}

/** Removes from rows of the full model what a filtered model, with the same types, marks as unreadable. */
class WithoutHidden {
  readonly #model: Model;
  readonly #readable: Model;

  constructor(model: Model, readable: Model) {
    this.#model = model;
    this.#readable = readable;
  }

  rows(entityType: string, rows: Rows): Rows {
    const shown = (row: Row): Row => this.row(entityType, row);
    return { length: rows.length, [Symbol.iterator]: () => Iterator.from(rows).map(shown) };
  }

  value({ type }: Pick<TypeUse, 'type'>, value: Value): Value {
    if (type.kind !== 'complex' && type.kind !== 'entity') return value;
    if (isList(value)) return value.map((item) => this.value({ type }, item));
    return isRow(value) ? this.row(type.name, value) : value;
  }

  row(declared: string, row: Row): Row {
    const name = row[TYPE] ?? declared;
    const type = structure(this.#model, name);
    const readable = structure(this.#readable, name);
    if (type === undefined || readable === undefined) return row;
    const members = Object.entries(row).flatMap(([member, value]) =>
      isShown(type, readable, member) ? [[member, this.#member(type, member, value)] as const] : [],
    );
    return Object.assign(Object.fromEntries(members), signsOf(row));
  }

  #member({ structuralProperties, navigationProperties }: StructuredType, name: string, value: Value): Value {
    const property = structuralProperties.get(name);
    if (property !== undefined) return this.value(property, value);
    const related = navigationProperties.get(name)?.entityType;
    return related === undefined ? value : this.value({ type: related }, value);
  }
}

function isShown(type: StructuredType, readable: StructuredType, name: string): boolean {
  const property = readable.structuralProperties.get(name);
  if (property !== undefined) return property.writeOnly === type.structuralProperties.get(name)?.writeOnly;
  if (!type.navigationProperties.has(name)) return readable.open === type.open;
  return (
    readable.navigationProperties.get(name)?.unreadable !== true && readable.navigationProperties.has(name)
  );
}

function structure({ entityTypes, complexTypes }: Model, name: string): StructuredType | undefined {
  return entityTypes.get(name) ?? complexTypes.get(name);
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

function isRow(value: Value): value is Row {
  return typeof value === 'object' && value !== null;
}
