import { LRUCache } from 'lru-cache';
import type { CallableCall, CollectionRead, EntityRead, EntitySource } from '../../contract/entity-source.ts';
import type { CallContext } from '../../contract/exchange.ts';
import { GatewayError, signInRequired } from '../../contract/gateway-error.ts';
import type { Permissions } from '../../contract/permissions.ts';
import { PreparationTimes } from '../../contract/preparation-times.ts';
import { ADMINISTRATOR, isInScope, type Principal, USER } from '../../contract/principal.ts';
import { type Row, type Rows, signsOf, TYPE, type Value } from '../../contract/row.ts';
import {
  type DescribedComplexType,
  type DescribedEntityType,
  type DescribedModel,
  type DescribedNavigationProperty,
  type DescribedStructuralProperty,
  type DescribedStructuredType,
  type DescribedTypeUse,
  retyped,
} from '../../model/description.ts';
import type { EntityType, StructuredType, TypeUse } from '../../model/edm.ts';
import { byName, madeOnce } from '../../model/maps.ts';
import { linkModel, type Model } from '../../model/model.ts';
import type { Grants, Permission } from '../../model/permission.ts';
import {
  describedResourceName,
  grantedRoles,
  grantingResource,
  relatedResourceName,
  resourceGrants,
} from '../../model/resource-grants.ts';

/** The permission table of a model's grants. Anything not granted is forbidden. */
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
 * The error for a missing permission. If a scope excludes it, the message does not reveal whether the user's
 * role allows it.
 */
function refusal(principal: Principal, resource: string, permission: Permission): GatewayError {
  if (principal.kind !== 'user') return signInRequired();
  const { scoped } = principal;
  const isLeftOut = scoped !== undefined && !isInScope(scoped.scope, resource, permission);
  const lacking = isLeftOut ? "This key's scope" : 'Your role';
  return new GatewayError('Forbidden', `${lacking} needs the permission ${permission} on ${resource}.`);
}

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
  const put = sink && ((rows: Rows) => sink.put(shown(rows)));
  return {
    ...read,
    ...(part && sieve && take && { part: { ...part, sieve: { ...sieve, take } } }),
    ...(sink && put && { sink: { isPaced: sink.isPaced, put } }),
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

/**
 * The resources that a principal must be allowed to view to see values with entities at places that the model
 * does not declare.
 */
interface HeldResources {
  /** For values of a type use, at any depth; without those beneath complex values. */
  ofUse(use: Pick<DescribedTypeUse, 'heldEntities'>): readonly string[];
  /** For undeclared properties of a type. */
  ofUndeclared(type: Pick<DescribedStructuredType, 'undeclaredEntities'>): readonly string[];
  /** For anything within entities of a type, including complex values and nested entities. */
  ofContent(entityType: string): readonly string[];
  /** All resources that entities of the type may belong to. */
  ofEntity(name: string): readonly string[];
}

const HELD = new WeakMap<DescribedModel, HeldResources>();

/** Everything is found when it is first asked for: most models hold nothing so. */
export function heldResources(model: DescribedModel): HeldResources {
  return madeOnce(HELD, model, () => findHeldResources(model));
}

function findHeldResources(model: DescribedModel): HeldResources {
  let uses: TypeUses | undefined;
  const known = new Map<string, readonly string[]>();
  const ofTypes = new Map<string, readonly string[]>();
  const ofEntity = (name: string): readonly string[] =>
    madeOnce(ofTypes, name, () => {
      uses ??= typeUses(model);
      return resourcesOf(model, uses, name);
    });
  const ofNames = (names: readonly string[]): readonly string[] =>
    madeOnce(known, names.join(' '), (): readonly string[] => {
      uses ??= typeUses(model);
      return [...new Set(contentOf(model, uses, names).flatMap(ofEntity))];
    });
  return {
    ofUse: ({ heldEntities }) => (heldEntities === undefined ? NONE : ofNames(heldEntities)),
    ofUndeclared: ({ undeclaredEntities }) =>
      undeclaredEntities === undefined ? NONE : ofNames(undeclaredEntities),
    ofContent: (name) => ofNames([name]),
    ofEntity,
  };
}

const NONE: readonly string[] = [];

/** The uses of the types of a model, by type name. */
interface TypeUses {
  /** The types derived directly from each. */
  readonly derived: ReadonlyMap<string | undefined, readonly DescribedStructuredType[]>;
  /** The sets and singletons of each. */
  readonly members: ReadonlyMap<string, readonly { readonly name: string }[]>;
  /** The navigation properties that lead to entities of each which are in no set. */
  readonly contained: ReadonlyMap<string, readonly DescribedNavigationProperty[]>;
}

function typeUses({ entityTypes, complexTypes, entitySets, singletons }: DescribedModel): TypeUses {
  const types: readonly DescribedStructuredType[] = [...entityTypes.values(), ...complexTypes.values()];
  const contained = [...entityTypes.values()]
    .flatMap(({ navigationProperties }) => [...navigationProperties.values()])
    .filter(({ target }) => target === undefined);
  return {
    derived: Map.groupBy(types, ({ baseType }) => baseType),
    members: Map.groupBy(
      [...entitySets.values(), ...singletons.values()],
      ({ entityType }) => entityType.name,
    ),
    contained: Map.groupBy(contained, ({ entityType }) => entityType),
  };
}

/** The entity types of all entities that may stand in the JSON of entities of those types, and they themselves. */
function contentOf(model: DescribedModel, uses: TypeUses, names: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  const queue = [...names];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    const type: DescribedStructuredType | undefined =
      model.entityTypes.get(name) ?? model.complexTypes.get(name);
    if (type !== undefined) queue.push(...derivedFrom(uses, name), ...namesIn(type));
  }
  return [...seen].filter((name) => model.entityTypes.has(name));
}

function namesIn(type: DescribedStructuredType): readonly string[] {
  return [
    ...(type.undeclaredEntities ?? []),
    ...[...type.structuralProperties.values()].flatMap((property) => [
      property.type.name,
      ...(property.heldEntities ?? []),
    ]),
    ...[...type.navigationProperties.values()].flatMap(({ origin, entityType }) =>
      origin.kind === 'embedded' ? [entityType] : [],
    ),
  ];
}

function derivedFrom({ derived }: TypeUses, name: string): readonly string[] {
  return derived.get(name)?.map((type) => type.name) ?? [];
}

/**
 * The sets and singletons of the type, of its base types and of its derived types: a value may be in any.
 * Contained entities belong to the resource with grants of its own, else to their container.
 */
function resourcesOf(model: DescribedModel, uses: TypeUses, name: string): readonly string[] {
  const family = [...new Set([...ancestorsOf(model, name), ...descendantsOf(uses, name)])];
  const contained = family
    .flatMap((each) => uses.contained.get(each) ?? [])
    .flatMap((navigation) => {
      const { origin } = navigation;
      const places = origin.kind === 'path' ? origin.places : [];
      return describedResourceName(navigation) ?? places.map(({ path }) => grantingResource(model, path));
    });
  return [
    ...family.flatMap((each) => uses.members.get(each) ?? []).map((member) => member.name),
    ...contained,
  ];
}

function ancestorsOf(model: DescribedModel, name: string): readonly string[] {
  const base = model.entityTypes.get(name)?.baseType;
  return base === undefined ? [name] : [name, ...ancestorsOf(model, base)];
}

function descendantsOf(uses: TypeUses, name: string): readonly string[] {
  return [name, ...derivedFrom(uses, name).flatMap((derived) => descendantsOf(uses, derived))];
}

/** Returns true if a principal has a permission for a resource. */
export type PermissionCheck = (resource: string, permission: Permission) => boolean;

/** Combines the grants of the principal's roles with the scope of the credential, if it has one. */
function permissionCheckOf(resources: ReadonlyMap<string, Grants>, principal: Principal): PermissionCheck {
  switch (principal.kind) {
    case 'unrestricted':
      return () => true;
    case 'anonymous':
      return () => false;
    case 'user': {
      const { scoped } = principal;
      if (scoped === undefined) return ofRoles(resources, principal.roles);
      const may = ofRoles(resources, scoped.roles);
      return (resource, permission) =>
        isInScope(scoped.scope, resource, permission) && may(resource, permission);
    }
  }
}

function ofRoles(resources: ReadonlyMap<string, Grants>, roles: readonly string[]): PermissionCheck {
  return (resource, permission) => {
    const grants = resources.get(resource);
    return roles.some((role) => grants?.get(role)?.has(permission) === true);
  };
}

/** Sets of roles are few, because operators define roles. */
const MOST_OF_ROLES = 100;
/** Every user can create scopes, so each user has a small cache apart from that of the roles. */
const MOST_OF_SCOPES = 20;
const MOST_OF_USER = 4;

/**
 * The part of a model for a principal: the whole model without access control. Built once per distinct set of
 * roles and per scope within it; the most recently used are cached.
 */
export function partsByRights(
  model: Model,
  make: (may: PermissionCheck, principal: Principal) => DescribedModel,
): (principal: Principal) => Model {
  const resources = resourceGrants(model);
  const known = grantedRoles(model);
  const ofRoles = new LRUCache<string, Model>({ max: MOST_OF_ROLES });
  const ofScopes = new LRUCache<string, Model>({ max: MOST_OF_SCOPES });
  const ofUsers = new LRUCache<string, LRUCache<string, true>>({ max: MOST_OF_SCOPES });
  const times = new PreparationTimes();
  /** Caches the last scopes of one user, apart from those of others. */
  const use = (key: string, user: string): void => {
    const dispose = (_: true, old: string, reason: string): void => {
      if (reason === 'evict') ofScopes.delete(old);
    };
    const own = ofUsers.get(user) ?? new LRUCache<string, true>({ max: MOST_OF_USER, dispose });
    own.set(key, true);
    ofUsers.set(user, own);
  };
  return (principal) => {
    if (principal.kind === 'unrestricted') return model;
    const { roles, scope } = rightsOf(principal);
    const parts = scope === undefined ? ofRoles : ofScopes;
    const key = JSON.stringify([known.filter((role) => roles.includes(role)), scope]);
    const part =
      parts.get(key) ??
      times.prepare(principal, () =>
        linkedPart(model, make(permissionCheckOf(resources, principal), principal)),
      );
    parts.set(key, part);
    if (scope !== undefined && principal.kind === 'user') use(key, principal.id);
    return part;
  };
}

/** Returns the model itself if the part is all of it. */
function linkedPart(model: Model, part: DescribedModel): Model {
  return part === model.description ? model : linkModel(part);
}

interface Rights {
  readonly roles: readonly string[];
  readonly scope: string | undefined;
}

function rightsOf(principal: Principal): Rights {
  if (principal.kind !== 'user') return { roles: [], scope: undefined };
  const { roles, scoped } = principal;
  return scoped === undefined
    ? { roles, scope: undefined }
    : { roles: scoped.roles, scope: scoped.scope.text };
}

/** The roles that grants name, and the built-in ones. */
export function offeredRoles(model: Model): readonly string[] {
  return [...new Set([USER, ADMINISTRATOR, ...grantedRoles(model)])];
}

/**
 * The model with properties marked as unreadable that may contain entities which the principal may not see,
 * at places that the model does not declare: they can be written and never read. Undeclared properties are
 * removed.
 *
 * Returns the model itself if nothing is hidden, which is usual.
 */
export function readableModels(model: Model): (principal: Principal) => Model {
  const { description } = model;
  const held = heldResources(description);
  const inner = innerTypes(description);
  if (!holdsAnything(description, inner)) return () => model;
  return partsByRights(model, (may) =>
    readableModel(description, held, inner, (resource) => may(resource, 'View')),
  );
}

/** Types whose values are nested in others: their content is always returned with the outer value. */
type InnerTypes = ReadonlySet<string>;

function innerTypes({ entityTypes, complexTypes }: DescribedModel): InnerTypes {
  const types: readonly DescribedStructuredType[] = [...entityTypes.values(), ...complexTypes.values()];
  const held = types.flatMap(({ structuralProperties, navigationProperties }) => [
    ...[...structuralProperties.values()].map(({ type }) => type.name),
    ...[...navigationProperties.values()].filter(isEmbedded).map(({ entityType }) => entityType),
  ]);
  const inner = new Set(held);
  for (const { name, baseType } of entityTypes.values())
    if (baseType !== undefined && inner.has(baseType)) inner.add(name);
  return inner;
}

function isEmbedded({ origin }: DescribedNavigationProperty): boolean {
  return origin.kind === 'embedded';
}

function holdsAnything({ entityTypes, complexTypes }: DescribedModel, inner: InnerTypes): boolean {
  return [...entityTypes.values(), ...complexTypes.values()].some(
    ({ name, undeclaredEntities, structuralProperties, navigationProperties }) =>
      undeclaredEntities !== undefined ||
      [...structuralProperties.values()].some(({ heldEntities }) => heldEntities !== undefined) ||
      (inner.has(name) && [...navigationProperties.values()].some(isEmbedded)),
  );
}

type MayView = (resource: string) => boolean;

function readableModel(
  model: DescribedModel,
  held: HeldResources,
  inner: InnerTypes,
  mayView: MayView,
): DescribedModel {
  const readable = <Type extends DescribedEntityType | DescribedComplexType>(type: Type): Type => {
    const known = readableType(type, held, mayView);
    return inner.has(type.name) ? withoutInner(known, held, mayView) : known;
  };
  const entityTypes = mapValues(model.entityTypes, readable);
  const complexTypes = mapValues(model.complexTypes, readable);
  const isWhole = entityTypes === model.entityTypes && complexTypes === model.complexTypes;
  if (isWhole) return model;
  return {
    ...model,
    entityTypes,
    complexTypes,
    entitySets: byName(retyped([...model.entitySets.values()], entityTypes)),
    singletons: byName(retyped([...model.singletons.values()], entityTypes)),
  };
}

/**
 * The type with its unreadable properties marked as write-only; returns the type itself if there are no such
 * properties.
 */
function readableType<Type extends DescribedStructuredType>(
  type: Type,
  held: HeldResources,
  mayView: MayView,
): Type {
  const isHidden = (property: DescribedStructuralProperty) => !held.ofUse(property).every(mayView);
  const structuralProperties = mapValues(type.structuralProperties, (property) =>
    !property.writeOnly && isHidden(property) ? { ...property, writeOnly: true } : property,
  );
  const open = type.open && held.ofUndeclared(type).every(mayView);
  const isWhole = open === type.open && structuralProperties === type.structuralProperties;
  return isWhole ? type : { ...type, open, structuralProperties };
}

/**
 * Marks navigation properties of the type as unreadable if they lead, within the value, to entities that may
 * not be viewed. Complex types lose them, because they have no others.
 */
function withoutInner<Type extends DescribedEntityType | DescribedComplexType>(
  type: Type,
  held: HeldResources,
  mayView: MayView,
): Type {
  const isHidden = (property: DescribedNavigationProperty): boolean => {
    const resource = describedResourceName(property);
    const resources = 'key' in type ? [resource ?? []].flat() : held.ofEntity(property.entityType);
    return isEmbedded(property) && !resources.every(mayView);
  };
  const all = [...type.navigationProperties];
  if (!all.some(([, property]) => isHidden(property))) return type;
  const left = 'key' in type ? all : all.filter(([, property]) => !isHidden(property));
  const marked = left.map(
    ([name, property]) => [name, isHidden(property) ? { ...property, unreadable: true } : property] as const,
  );
  return { ...type, navigationProperties: new Map(marked) };
}

/** Returns the map itself if no value changes. */
function mapValues<Value>(
  values: ReadonlyMap<string, Value>,
  change: (value: Value) => Value,
): ReadonlyMap<string, Value> {
  const changed = [...values].map(([name, value]) => [name, change(value)] as const);
  return changed.every(([name, value]) => values.get(name) === value) ? values : new Map(changed);
}
