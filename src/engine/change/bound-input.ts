import type { InsertedContent } from '../../contract/entity-source.ts';
import { GatewayError, unexpectedValue } from '../../contract/gateway-error.ts';
import { type Row, TYPE, type Value } from '../../contract/row.ts';
import { CONCURRENT_CALLS, mapConcurrently } from '../../core/work.ts';
import {
  type EntityType,
  isComparable,
  type StructuralProperty,
  type StructuredType,
  typeNamed,
} from '../../model/edm.ts';
import { isInsertable } from '../../model/link-change.ts';
import type { InsertOperation, SentType } from '../../model/operation.ts';
import { sentAs, sentWithin, takenProperties } from '../../model/sent-type.ts';
import type { EntityInput, NavigationBinding, NestedEntities, WrittenLink } from '../input/entity-input.ts';
import { quote } from '../input/mistakes.ts';
import { requireEntity } from '../load/load.ts';
import type { LoadContext } from '../resource/load-context.ts';
import { type EntityResource, notImplemented } from '../resource/resource.ts';
import { parsePrimitive } from '../values/primitive.ts';
import type { ChangeContext } from './compensation.ts';

/** The context of input that refers to entities, and the properties that may hold references. */
export interface Binder {
  readonly site: ChangeContext;
  /** Whether the operation takes a value for that property. */
  readonly isSettable: (type: EntityType, property: string) => boolean;
  /** The body schema of the operation. */
  readonly sent: SentType | undefined;
}

/**
 * The body with the foreign keys of the entities that it refers to (Part 1, 11.4.2.1; JSON Format, 8.5), also
 * within what stands in its own JSON. The bindings that are left are those that no property of the entity says.
 */
export async function boundInput(binder: Binder, body: EntityInput): Promise<EntityInput> {
  const nested = await Promise.all(body.nested.map((each) => boundEntities(binder, each)));
  const isSame = nested.every((each, index) => each === body.nested[index]);
  const isOwn = (binding: NavigationBinding) => isForeignKey(binder, body, binding);
  const own = body.bindings.filter(isOwn);
  if (own.length === 0 && isSame) return body;
  const found = await Promise.all(own.map((binding) => boundValues(binder, body, binding)));
  const bindings = body.bindings.filter((binding) => !isOwn(binding));
  const values = Object.assign({}, ...found);
  return { ...extendedInput(body, { values, nested }), bindings };
}

/** Whether properties of the entity say which one the other is, and may be given. */
function isForeignKey(
  { isSettable }: Binder,
  { entityType }: EntityInput,
  { property: { constraints } }: NavigationBinding,
): boolean {
  return constraints.length > 0 && constraints.every(({ property }) => isSettable(entityType, property));
}

async function boundEntities(binder: Binder, nested: NestedEntities): Promise<NestedEntities> {
  const { property, entities } = nested;
  if (property.origin.kind !== 'embedded') return nested;
  const within = { ...binder, sent: sentWithin(binder.sent, property.origin) };
  const bound = await mapConcurrently(entities, CONCURRENT_CALLS, (each) => boundInput(within, each));
  const left = bound.flatMap(({ bindings }) => bindings)[0];
  if (left !== undefined) throw notImplemented(`"${left.property.name}" in a body`, left.path);
  return bound.every((each, index) => each === entities[index]) ? nested : { property, entities: bound };
}

async function boundValues(
  { site, sent }: Binder,
  { entityType, values }: EntityInput,
  binding: NavigationBinding,
): Promise<Row> {
  const { property, path: target, links } = binding;
  const [written] = links;
  const found = written === undefined ? {} : await keyOf(site, written, binding, property.entityType);
  const bound = property.constraints.map((each) => {
    return [each.property, found[each.referencedProperty] ?? null] as const;
  });
  for (const [name, value] of bound) {
    const isNullable = takenProperties(entityType, sent).get(name)?.nullable === true;
    if (value === null && !isNullable) throw unexpectedValue(target, 'an entity', 'null');
    const given = values[name];
    if (given !== undefined && String(given) !== String(value)) {
      throw unexpectedValue(target, `the entity that "${name}" says`, 'another one');
    }
  }
  return Object.fromEntries(bound);
}

async function keyOf(
  site: ChangeContext,
  written: WrittenLink,
  { property }: NavigationBinding,
  type: EntityType,
): Promise<Row> {
  const entity = site.entityOf(written, type);
  const names = property.constraints.map(({ referencedProperty }) => referencedProperty);
  return linkedValues(site, entity, names, written);
}

/** Completes the values of a create with foreign keys and defaults. */
export async function completeInput(
  site: ChangeContext,
  operation: InsertOperation,
  input: EntityInput,
): Promise<EntityInput> {
  const isSettable = (of: EntityType, name: string) => isInsertable(of, operation, name);
  const bound = await boundInput({ site, isSettable, sent: operation.sent }, input);
  return withOmitted(operation, bound);
}

/**
 * The properties of an entity to link to; throws if it does not exist. Without permission to view it, only
 * the values in the URL are used.
 */
export async function linkedValues(
  loading: LoadContext,
  entity: EntityResource,
  properties: readonly string[],
  { url, target }: WrittenLink,
): Promise<Row> {
  try {
    return (await requireEntity(loading, entity, { properties, dynamic: false })).data;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const isKnown = properties.every((name) => entity.known[name] !== undefined);
    if (error.code === 'Forbidden' && isKnown) return entity.known;
    throw error.code === 'NotFound' ? wrongLink(target, 'an entity that is there', url) : error;
  }
}

/** The error for input that refers to no linkable entity. */
export function wrongLink(target: string, expected: string, found: string, near?: string): GatewayError {
  const meant = near === undefined ? '.' : `: is "${near}" meant?`;
  const message = `${target}: expected ${expected}, found ${quote(found)}${meant}`;
  return new GatewayError('BadRequest', message, { target });
}

/** The input with further values; `nested` takes the place of what it has so far, and nothing is left to be bound. */
export function extendedInput(
  input: EntityInput,
  { values, nested }: Pick<EntityInput, 'values' | 'nested'>,
): EntityInput {
  return { ...input, values: { ...input.values, ...values }, bindings: [], nested };
}

/** The content of a new entity of the declared type. */
export function contentOf(declared: EntityType, input: EntityInput): InsertedContent {
  const { verbatim } = input;
  if (verbatim !== undefined) return { kind: 'verbatim', body: verbatim };
  return { kind: 'values', values: sentValues(declared, input) };
}

/**
 * The values to send for an entity of the declared type, with its own type if it differs, and with embedded
 * entities.
 */
export function sentValues(declared: EntityType, { entityType, values, nested }: EntityInput): Row {
  const embedded = nested.filter(({ property }) => property.origin.kind === 'embedded');
  const related = embedded.map(({ property, entities }): [string, Value] => {
    const items = entities.map((entity) => sentValues(property.entityType, entity));
    return [property.name, property.collection ? items : (items[0] ?? null)];
  });
  const whole = { ...values, ...Object.fromEntries(related) };
  return entityType === declared ? whole : { ...whole, [TYPE]: entityType.name };
}

/** A create, or a change that creates what is not there. */
type Creation = Pick<InsertOperation, 'sent'> & { readonly verbatim?: boolean };

/**
 * A new entity with what its client may leave out and the upstream must have: the default, null or an empty
 * collection (Part 1, 11.4.2), also within complex values. Bytes that are forwarded verbatim stay as they are.
 */
export function withOmitted({ verbatim, sent }: Creation, body: EntityInput): EntityInput {
  if (verbatim) return body;
  const { entityType, nested, bindings, values: said } = body;
  const values = withRequired(entityType, { sent }, said);
  return values === said ? body : { ...extendedInput(body, { values, nested }), bindings };
}

/** The values of a whole entity, with what the upstream must have. */
export function withRequired(type: EntityType, { sent }: Pick<Creation, 'sent'>, values: Row): Row {
  return filled(type, sent, values);
}

/** The row with what was omitted in it, at any depth; the row itself where nothing is to be added. */
function filled(type: StructuredType, sent: SentType | undefined, row: Row): Row {
  const own = sentAs(sent, type);
  const entries = [...takenProperties(type, own).values()].flatMap((property): [string, Value][] => {
    const { name, required } = property;
    const given = row[name];
    if (given !== undefined) {
      const value = filledValue(property, sentWithin(own, property), given);
      return value === given ? [] : [[name, value]];
    }
    const value = required ? defaultOf(property) : undefined;
    return value === undefined ? [] : [[name, value]];
  });
  return entries.length === 0 ? row : { ...row, ...Object.fromEntries(entries) };
}

/** A new value of a property, whose complex values have what the upstream must have. */
export function filledValue({ type }: StructuralProperty, sent: SentType | undefined, value: Value): Value {
  return type.kind === 'complex' ? filledComplex(type, sent, value) : value;
}

function filledComplex(declared: StructuredType, sent: SentType | undefined, value: Value): Value {
  if (Array.isArray(value)) {
    const items = value.map((item) => filledComplex(declared, sent, item));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const row = value as Row;
  return filled(typeNamed(declared, row[TYPE] ?? '') ?? declared, sent, row);
}

/** The default of an omitted property; undefined if a value is required. */
export function defaultOf({
  type,
  collection,
  nullable,
  defaultValue,
}: StructuralProperty): Value | undefined {
  if (collection) return [];
  if (defaultValue === undefined || type.kind === 'complex') return nullable ? null : undefined;
  return type.kind === 'primitive' && isComparable(type.name)
    ? parsePrimitive(type.name, defaultValue)
    : defaultValue;
}
