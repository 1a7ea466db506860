import { type Row, TYPE, type Value } from '../../contract/row.ts';
import type { EntityType, StructuralProperty } from '../../model/edm.ts';
import { typeNamed, withDerivedTypes } from '../../model/edm.ts';
import type { UpdateOperation } from '../../model/operation.ts';
import { isReadable } from '../../model/readable-property.ts';
import { takenProperties } from '../../model/sent-type.ts';
import { discriminatorOf } from '../input/type-of-object.ts';
import { demandEntity } from '../load/load.ts';
import type { Loading } from '../resource/loading.ts';
import type { EntityResource } from '../resource/resource.ts';
import { isMerged, mergedValues } from './merged-values.ts';
import { defaultOf, withRequired } from './omitted-values.ts';

/** What a client says an entity is to become. */
export interface Change {
  /** PATCH: some of its properties; PUT: all of them (Part 1, 11.4.3 and 11.4.4). */
  readonly method: 'PATCH' | 'PUT';
  /** The type that the client names, or else the declared one. */
  readonly entityType: EntityType;
  readonly values: Row;
}

/**
 * The values of an update as the upstream's method needs them.
 *
 * PUT takes the whole entity: beside a PATCH what it is now, beside a PUT what the client cannot say, its
 * key and what is immutable. PATCH leaves what it is not told: beside a PUT everything is unset, and complex
 * values are whole, because not every upstream merges them. What is write-only nobody can read, so that it
 * is only there where the client gives it.
 */
export async function changedValues(
  loading: Loading,
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
  const told = sign === undefined ? {} : { [sign.name]: sign.value };
  return typed(entity, type, {
    ...told,
    ...mergedValues({ type, sent }, settablePart(type, operation, present), values),
  });
}

/** What the body of a change must have to say which resource it is about (JSON:API 1.1, 9.2). */
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

/** With its type, where that is not the declared one. */
function typed(entity: EntityResource, { name }: EntityType, values: Row): Row {
  return name === entity.type.name ? values : { ...values, [TYPE]: name };
}

/** The complex values that are changed, as they are now. */
async function presentValues(
  loading: Loading,
  entity: EntityResource,
  { structuralProperties }: EntityType,
  values: Row,
): Promise<Row> {
  const properties = Object.keys(values).filter((name) =>
    isMerged(structuralProperties.get(name), values[name]),
  );
  if (properties.length === 0) return {};
  const { data } = await demandEntity(loading, entity, { properties, dynamic: false, whole: true });
  return Object.fromEntries(properties.map((name) => [name, data[name] ?? null]));
}

/** All of the entity, whatever type derived from the declared one it is of. */
export async function presentEntity(loading: Loading, entity: EntityResource): Promise<Row> {
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
  return (await demandEntity(loading, entity, { properties: [...properties], dynamic, whole: true })).data;
}

/** What the operation's body has, undeclared properties of an open type among it. */
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

/** What the body has and no change does: it is read where the URL does not say it. */
async function fixedPart(
  loading: Loading,
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
    : (await demandEntity(loading, entity, { properties, dynamic: false })).data;
  return Object.fromEntries(properties.map((name) => [name, row[name] ?? null]));
}

/** What an entity has of which nobody says anything: its defaults (Part 1, 11.4.4). */
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
