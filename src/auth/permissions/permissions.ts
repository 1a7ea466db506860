import type { CallableCall, EntityRead, EntitySource } from '../../contract/entity-source.ts';
import type { CallContext } from '../../contract/exchange.ts';
import { GatewayError, signInRequired } from '../../contract/gateway-error.ts';
import type { Permissions } from '../../contract/permissions.ts';
import { isInScope, type Principal } from '../../contract/principal.ts';
import { type Row, type Rows, TYPE, type Value } from '../../contract/row.ts';
import type { EntityType, StructuredType, TypeUse } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import type { Permission } from '../../model/permission.ts';
import { relatedResourceName, resourceGrants } from '../../model/resource-grants.ts';
import { type HeldResources, heldResources, permissionCheckOf, readableModels } from './readable-model.ts';

/** The permission table of a model's grants. What is not granted is forbidden. */
export function permissionsOf(model: Model): Permissions {
  const grants = resourceGrants(model);
  return {
    demand(principal, resource, permission) {
      if (permissionCheckOf(grants, principal)(resource, permission)) return;
      throw refusal(principal, resource, permission);
    },
  };
}

/**
 * The error for a permission that is missing. Of what a scope leaves out, it does not say whether the user's role
 * allows it.
 */
function refusal(principal: Principal, resource: string, permission: Permission): GatewayError {
  if (principal.kind !== 'user') return signInRequired();
  const { scoped } = principal;
  const isLeftOut = scoped !== undefined && !isInScope(scoped.scope, resource, permission);
  const lacking = isLeftOut ? "This key's scope" : 'Your role';
  return new GatewayError('Forbidden', `${lacking} needs the permission ${permission} on ${resource}.`);
}

/** Asks permission before it asks the source: nothing reaches the upstream without it. */
export function guardSource(source: EntitySource, permissions: Permissions, model: Model): EntitySource {
  const held = heldResources(model.description);
  const readableTo = readableModels(model);
  const demand = (call: CallContext, { resource }: { resource: string }, permission: Permission): void =>
    permissions.demand(call.principal, resource, permission);
  const assertViews = (call: CallContext, resources: readonly string[]): void => {
    for (const resource of new Set(resources)) demand(call, { resource }, 'View');
  };
  const assertWanted = (call: CallContext, wanted: Wanted, permission: Permission): void => {
    demand(call, wanted, permission);
    assertViews(call, embeddedResources(model, wanted));
    assertViews(call, wanted.related ?? []);
    // Whoever may read all of the model may see all that it holds.
    if (readableTo(call.principal) !== model) assertViews(call, heldByWanted(model, held, wanted));
  };
  /** What of an answer the principal may see; undefined for all of it. */
  const partFor = ({ principal }: CallContext): WithoutHidden | undefined => {
    const readable = readableTo(principal);
    return readable === model ? undefined : new WithoutHidden(model, readable);
  };
  const shown = (call: CallContext, { entityType }: Wanted, row: Row | undefined): Row | undefined => {
    const part = partFor(call);
    return part === undefined || row === undefined ? row : part.row(entityType.name, row);
  };
  return {
    permit(resource, permission, call) {
      demand(call, { resource }, permission);
    },
    async readCollection(read, call) {
      assertWanted(call, read, 'View');
      const snapshot = await source.readCollection(ofModel(model, read), call);
      const part = partFor(call);
      if (part === undefined) return snapshot;
      // Nobody else may use again what is made of a part.
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
      const found = await source.readEntity(ofModel(model, read), call);
      const part = partFor(call);
      if (part === undefined || found === undefined) return found;
      return {
        ...found,
        data: part.row(read.entityType.name, found.data),
        version: undefined,
        digest: undefined,
      };
    },
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
    async call(callable, call) {
      demand(call, callable, callable.kind === 'reference' ? 'Update' : 'Call');
      assertViews(call, returnedResources(model, held, callable));
      const snapshot = await source.call(callable, call);
      const part = partFor(call);
      if (part === undefined || callable.returns === undefined) return snapshot;
      return { data: part.value(callable.returns, snapshot.data), version: undefined };
    },
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

/** Entities of which something is asked, or is to be shown once they are changed. */
type Wanted = Pick<EntityRead, 'resource' | 'entityType' | 'properties' | 'dynamic' | 'related' | 'whole'>;

/** What is asked for by a part of the model is read by the model itself. */
function ofModel<Read extends Pick<Wanted, 'entityType'>>({ entityTypes }: Model, read: Read): Read {
  const entityType = entityTypes.get(read.entityType.name);
  return entityType === undefined || entityType === read.entityType ? read : { ...read, entityType };
}

/** The resources of the entities that stand in the JSON of those that are wanted, and are wanted with them. */
function embeddedResources(
  model: Model,
  { entityType, properties }: Pick<Wanted, 'entityType' | 'properties'>,
): readonly string[] {
  const related = properties.filter((name) => !entityType.structuralProperties.has(name));
  if (related.length === 0) return [];
  return familyOf(model, entityType)
    .flatMap((type) => related.flatMap((name) => type.navigationProperties.get(name) ?? []))
    .flatMap((navigation) => relatedResourceName(navigation) ?? []);
}

/** The resources of the entities that the values of what is wanted may hold; of what goes back, of all that is read. */
function heldByWanted(
  model: Model,
  held: HeldResources,
  { entityType, properties, dynamic = false, whole = false }: Wanted,
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

/** The resources of the entities that are returned by a call, of those within them that are wanted, and of those held. */
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

/** Leaves out of what was read by the model what another one, of the same types, does not have for reading. */
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
    return Object.assign(Object.fromEntries(members), signs(row));
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

/** What a row says of itself and no JSON shows. */
function signs(row: Row): object {
  return Object.fromEntries(
    Object.getOwnPropertySymbols(row).map((sign) => [sign, Reflect.get(row, sign)] as const),
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
