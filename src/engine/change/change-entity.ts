import { GatewayError } from '../../contract/gateway-error.ts';
import { isRow, picked, type Row, TYPE, type Value } from '../../contract/row.ts';
import {
  type EntityType,
  isReadable,
  type StructuralProperty,
  type StructuredType,
  typeNamed,
  withDerivedTypes,
} from '../../model/edm.ts';
import type { SentType, UpdateOperation } from '../../model/operation.ts';
import { sentAs, sentWithin, takenProperties } from '../../model/sent-type.ts';
import { Mistakes, pathTo } from '../input/mistakes.ts';
import { checkRequired, discriminatorOf } from '../input/reading.ts';
import { NOTHING, requireArguments, requireEntity } from '../load/load.ts';
import type { LoadContext, LoadRequest } from '../resource/load-context.ts';
import type { EntityResource } from '../resource/resource.ts';
import { defaultOf, filledValue, withRequired } from './bound-input.ts';
import type { ChangeContext } from './compensation.ts';
import { assertPrecondition } from './precondition.ts';

/** Has the upstream change an entity; the entity as it is then, where the upstream says so. */
export async function changeEntity(
  site: ChangeContext,
  entity: EntityResource,
  operation: UpdateOperation,
  change: Change,
  wanted: LoadRequest,
): Promise<Row | undefined> {
  await assertMember(site, entity);
  const conditions = await assertPrecondition(site, entity, operation);
  await assertPresence(site, entity);
  const args = await requireArguments(site, operation, entity);
  const { resource } = entity;
  const { type: entityType } = entity;
  const changed = await changedValues(site, entity, operation, change);
  const values = operation.keyInBody === true ? { ...changed, ...keyOf(entity) } : changed;
  const properties = [...new Set([...wanted.properties, ...entityType.key])];
  const update = {
    resource,
    entityType,
    operation,
    arguments: args,
    ...wanted,
    properties,
    values,
    conditions,
  };
  const answered = await site.service.source.update(update, site.context);
  return answered && hasKey(entityType, answered) ? answered : undefined;
}

function keyOf({ type: { key }, known }: EntityResource): Row {
  return Object.fromEntries(key.flatMap((name) => (known[name] === undefined ? [] : [[name, known[name]]])));
}

/** Sends nothing where there is nothing to change: what the conditions say of the entity has to be so all the same. */
export async function assertUnchangedEntity(
  site: ChangeContext,
  entity: EntityResource,
  operation: UpdateOperation,
): Promise<undefined> {
  await assertMember(site, entity);
  await assertPrecondition(site, entity, operation);
}

/** Whether a response contains the entity's key; otherwise it is something else. */
export function hasKey({ key }: EntityType, row: Row): boolean {
  return key.every((name) => row[name] !== null && row[name] !== undefined);
}

/**
 * An entity that the path has found among others, or as one of a derived type, must be there: its key alone
 * would lead the upstream to one that the path does not.
 */
export async function assertMember(loading: LoadContext, entity: EntityResource): Promise<void> {
  if (entity.origin.kind !== 'member' && !entity.isCast) return;
  await requireEntity(loading, entity, NOTHING);
}

/** In a rehearsal, throws if the entity does not exist, provided that the caller may view it. */
export async function assertPresence(site: ChangeContext, entity: EntityResource): Promise<void> {
  if (site.demandsPresence === true) await readable(() => requireEntity(site, entity, NOTHING));
}

/** The requested change of an entity. */
interface Change {
  /** PATCH: some of its properties; PUT: all of them (Part 1, 11.4.3 and 11.4.4). */
  readonly method: 'PATCH' | 'PUT';
  /** The type that the client names, or else the declared one. */
  readonly entityType: EntityType;
  readonly values: Row;
}

/**
 * The values of an update, as the upstream's method requires.
 *
 * PUT needs the whole entity: next to a PATCH, the current values are added; otherwise the key and immutable
 * properties. PATCH keeps omitted properties: to emulate PUT, all others are reset, and complex values are
 * sent whole, because not all upstreams merge them. Write-only properties cannot be read, so they are only
 * sent if the client provides them.
 */
async function changedValues(
  loading: LoadContext,
  entity: EntityResource,
  operation: UpdateOperation,
  { method, entityType, values }: Change,
): Promise<Row> {
  const { sent } = operation;
  if (operation.method === 'PATCH') {
    const whole =
      method === 'PUT'
        ? { ...unset(entityType, operation), ...withRequired(entityType, operation, values) }
        : mergedValues(
            { type: entityType, sent },
            await presentValues(loading, entity, entityType, values),
            values,
          );
    return typed(entity, entityType, { ...identity(entity, entityType, operation), ...whole });
  }
  if (method === 'PUT') {
    const fixed = await fixedPart(loading, entity, operation, entityType);
    const given = withRequired(entityType, operation, { ...fixed, ...values });
    return typed(entity, entityType, given);
  }
  const present = await presentEntity(loading, entity);
  const type = typeNamed(entity.type, present[TYPE] ?? '') ?? entity.type;
  const sign = discriminatorOf(type);
  const typeMember = sign === undefined ? {} : { [sign.name]: sign.value };
  return typed(entity, type, {
    ...typeMember,
    ...mergedValues({ type, sent }, settablePart(type, operation, present), values),
  });
}

/** The members that identify the resource in the body (JSON:API 1.1, 9.2). */
function identity({ known }: EntityResource, type: EntityType, { sent }: UpdateOperation): Row {
  const properties = [...takenProperties(type, sent).values()];
  const isResource = properties.some(({ within, aliasOf }) => within !== undefined && aliasOf === undefined);
  if (!isResource) return {};
  const demanded = properties.filter(({ required, within }) => required && within === undefined);
  const entries = demanded.flatMap((property): [string, Value][] => {
    const { name, defaultValue } = property;
    const value = known[name] ?? (defaultValue === undefined ? undefined : defaultOf(property));
    return value === undefined || value === null ? [] : [[name, value]];
  });
  return Object.fromEntries(entries);
}

/** The values with the name of their type, where that is not the declared one. */
function typed(entity: EntityResource, { name }: EntityType, values: Row): Row {
  return name === entity.type.name ? values : { ...values, [TYPE]: name };
}

/** The complex values that are changed, as they are now. */
async function presentValues(
  loading: LoadContext,
  entity: EntityResource,
  { structuralProperties }: EntityType,
  values: Row,
): Promise<Row> {
  const properties = Object.keys(values).filter((name) =>
    isMerged(structuralProperties.get(name), values[name]),
  );
  if (properties.length === 0) return {};
  const { data } = await requireEntity(loading, entity, { properties, dynamic: false, whole: true });
  return picked(data, properties);
}

/** All of the entity, whatever type derived from the declared one it is of. */
export async function presentEntity(loading: LoadContext, entity: EntityResource): Promise<Row> {
  const types = withDerivedTypes(entity.type);
  const properties = new Set(
    types.flatMap(({ structuralProperties, navigationProperties }) => [
      ...[...structuralProperties.values()].filter(isReadable).map(({ name }) => name),
      ...[...navigationProperties.values()]
        .filter(({ origin }) => origin.kind === 'embedded')
        .map(({ name }) => name),
    ]),
  );
  const dynamic = types.some(({ open }) => open);
  return (await requireEntity(loading, entity, { properties: [...properties], dynamic, whole: true })).data;
}

/** The part of a row that the operation's body accepts, including undeclared properties of open types. */
function settablePart(type: EntityType, operation: UpdateOperation, row: Row): Row {
  const taken = takenProperties(type, operation.sent);
  const entries = Object.entries(row).filter(([name]) => {
    const property = taken.get(name);
    return property === undefined || isSettable(property, operation);
  });
  return Object.fromEntries(entries);
}

function isSettable({ name, computed }: StructuralProperty, operation: UpdateOperation): boolean {
  return !computed && operation.nonUpdatableProperties?.includes(name) !== true;
}

/** Required members of the body that cannot change, read if the URL does not contain them. */
async function fixedPart(
  loading: LoadContext,
  entity: EntityResource,
  operation: UpdateOperation,
  type: EntityType,
): Promise<Row> {
  const properties = [...takenProperties(type, operation.sent).values()]
    .filter((property) => isSettable(property, operation) && isReadable(property))
    .filter(({ name, immutable }) => immutable || type.key.includes(name))
    .map(({ name }) => name);
  const isKnown = properties.every((name) => entity.known[name] !== undefined);
  const row = isKnown
    ? entity.known
    : (await requireEntity(loading, entity, { properties, dynamic: false })).data;
  return picked(row, properties);
}

/** The defaults of omitted properties (Part 1, 11.4.4). */
function unset(type: EntityType, operation: UpdateOperation): Row {
  const optional = [...takenProperties(type, operation.sent).values()]
    .filter((property) => isSettable(property, operation) && isReadable(property))
    .filter(({ name, immutable }) => !immutable && !type.key.includes(name))
    .flatMap((property) => {
      const value = defaultOf(property);
      return value === undefined ? [] : [[property.name, value] as const];
    });
  return Object.fromEntries(optional);
}

/** A value to change: its type, if known, and its body schema. */
interface Changed {
  readonly type: StructuredType | undefined;
  readonly sent: SentType | undefined;
}

/**
 * The current values merged with the client's. Complex values are merged, too; items of a collection are new,
 * like a value in place of null (Part 1, 11.4.3): throws BadRequest if they lack required members.
 */
function mergedValues(changed: Changed, present: Row, change: Row): Row {
  const mistakes = new Mistakes();
  const merged = merge({ mistakes }, changed, present, change, '');
  mistakes.throwIfAny();
  return merged;
}

interface Merging {
  readonly mistakes: Mistakes;
}

function merge(merging: Merging, { type, sent }: Changed, present: Row, change: Row, path: string): Row {
  const own = type && sentAs(sent, type);
  const members = Object.entries(change).map(([name, value]) => {
    const property = type?.structuralProperties.get(name);
    const within = property && sentWithin(own, property);
    const before = present[name];
    return [name, mergeMember(merging, { property, within }, before, value, pathTo(path, name))] as const;
  });
  return { ...present, ...Object.fromEntries(members) };
}

interface ChangedMember {
  readonly property: StructuralProperty | undefined;
  /** The body schema of nested values. */
  readonly within: SentType | undefined;
}

function mergeMember(
  merging: Merging,
  { property, within }: ChangedMember,
  before: Value | undefined,
  value: Value,
  path: string,
): Value {
  if (
    isMerged(property, value) &&
    isRow(before) &&
    (value[TYPE] === undefined || complexType(property, value) === complexType(property, before))
  ) {
    return merge(merging, { type: complexType(property, value), sent: within }, before, value, path);
  }
  if (property === undefined) return value;
  // A write-only value may exist already, so it need not be complete.
  if (isReadable(property)) assertWhole(merging, { property, within }, value, path);
  return filledValue(property, within, value);
}

/** A value in place of null must be complete, at any depth. */
function assertWhole(
  merging: Merging,
  { property, within }: ChangedMember,
  value: Value,
  path: string,
): void {
  const { mistakes } = merging;
  const type = isRow(value) ? complexType(property, value) : undefined;
  if (!isRow(value) || type === undefined) return;
  const givenNames = new Set(Object.keys(value));
  const sent = sentAs(within, type);
  checkRequired({ kind: 'insert', mistakes, sent }, type, { json: {}, path }, givenNames);
  for (const [name, member] of Object.entries(value)) {
    const declared = type.structuralProperties.get(name);
    if (declared === undefined) continue;
    const inner = { property: declared, within: sentWithin(sent, declared) };
    assertWhole(merging, inner, member, pathTo(path, name));
  }
}

function complexType(property: StructuralProperty | undefined, { [TYPE]: name }: Row) {
  if (property?.type.kind !== 'complex') return undefined;
  return name === undefined ? property.type : typeNamed(property.type, name);
}

/** Whether a change gives parts of the value: of an object that no type describes, it is all that is to be there. */
function isMerged(property: StructuralProperty | undefined, value: Value | undefined): value is Row {
  return isRow(value) && property?.type.kind !== 'primitive';
}

/** The result of a read, or undefined if the caller may not view it. */
export async function readable<Found>(read: () => Promise<Found>): Promise<Found | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'Forbidden') return undefined;
    throw error;
  }
}
