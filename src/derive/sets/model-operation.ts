import { meshName } from '../../model/mesh-name.ts';
import type {
  InsertOperation,
  ListOperation,
  Operation,
  OperationParameter,
  UpdateOperation,
} from '../../model/operation.ts';
import { isTrue, member, text } from '../../openapi/document/document-node.ts';
import { isMediaSchema, type Schema, schemaProperties, setting } from '../../openapi/schemas/schema.ts';
import {
  type BodyPlace,
  bodyPlace,
  entityAnswer,
  envelopeOf,
  isUntypedAnswer,
  type ListAnswer,
  listAnswer,
} from '../answers/list-answer.ts';
import { pagingOf } from '../answers/paging-of.ts';
import type { EntityPlan } from '../edm-types/entity-plan.ts';
import { isKeyParameter, otherKeyProperty } from '../edm-types/key-names.ts';
import { hasProperty, nonInsertableProperties, sentType } from '../edm-types/sent-type.ts';
import type { NamedProperty } from '../edm-types/structural-property.ts';
import { callSettings } from '../operations/call-settings.ts';
import type { Derivation } from '../operations/derivation.ts';
import {
  type DocumentOperation,
  delimiterOf,
  type PathSegment,
  pathParameters,
} from '../operations/document-operation.ts';
import { mediaInsert, preconditionOf, sentForm } from '../operations/request-body.ts';
import { defaultFilters } from '../parameters/default-filters.ts';
import { listParameters } from '../parameters/list-parameters.ts';

/** The operation in the model, with what fills its path parameters. */
export function calling(
  derivation: Derivation,
  operation: DocumentOperation,
  parameters: readonly OperationParameter[],
  rows?: Schema,
): Operation {
  const { source } = derivation;
  const precondition = preconditionOf(operation);
  const form = sentForm(derivation, operation);
  const delimiters = new Map(
    operation.parameters.flatMap((parameter) => {
      const delimiter = delimiterOf(parameter);
      return delimiter === undefined ? [] : [[meshName(parameter.name), delimiter] as const];
    }),
  );
  return {
    id: operation.id,
    parameters,
    source: source.name,
    ...(operation.isOfUnknownShape && { isOfUnknownShape: true }),
    ...callSettings(derivation, operation, rows),
    ...(precondition && { precondition }),
    ...(form && { form }),
    ...(delimiters.size > 0 && { delimiters }),
  };
}

export function listing(
  derivation: Derivation,
  list: ListAnswer,
  parameters: readonly OperationParameter[],
  rows: Pick<EntityPlan, 'schema' | 'properties' | 'key'>,
  { fixed = [], over }: Pick<ListOperation, 'fixed' | 'over'> = {},
): ListOperation {
  const { operation, wrappedIn } = list;
  const paging = pagingOf(derivation, list);
  const called = calling(derivation, operation, parameters, rows.schema);
  const lacks = lackingProperties(derivation, list.item, rows.properties);
  const envelope = envelopeOf(derivation, list);
  const narrowed = listParameters(derivation, operation, rows.schema, rows, { paging, fixed });
  return {
    ...called,
    wrappedIn,
    ...(envelope && { envelope }),
    ...(fixed.length > 0 && { fixed }),
    ...(over && { over }),
    ...(lacks.length > 0 && { lacks }),
    ...(paging && { paging }),
    ...(narrowed.literal === true
      ? {}
      : defaultFilters(derivation, operation, rows, { paging, fixed, lacks })),
    ...narrowed,
  };
}

/** The properties that the items of a list do not have; none where they are one of several schemas. */
function lackingProperties(
  derivation: Derivation,
  item: Schema,
  properties: EntityPlan['properties'],
): readonly string[] {
  if (item.alternatives.length > 0 || schemaProperties(item).size === 0) return [];
  const own = properties.filter(({ argument }) => argument !== true);
  const lacking = own.filter((property) => !hasProperty(derivation, item, property));
  return lacking.map(({ name }) => name);
}

/** A call that answers with one entity of the schema. */
export function reading(
  derivation: Derivation,
  operation: DocumentOperation,
  schema: Schema,
  parameters: readonly OperationParameter[],
): Operation {
  const entity = entityAnswer(derivation, operation, schema);
  const list = entity === undefined ? listAnswer(derivation, operation) : undefined;
  const { wrappedIn } = entity ?? list ?? {};
  const envelope = list && envelopeOf(derivation, list);
  const called = calling(derivation, operation, parameters, schema);
  return {
    ...called,
    ...(wrappedIn && { wrappedIn }),
    ...(envelope && { envelope }),
    ...(list !== undefined && { isList: true }),
  };
}

/** A write that answers with an entity of the schema, and takes one. */
function writing(
  derivation: Derivation,
  operation: DocumentOperation,
  schema: Schema,
  parameters: readonly OperationParameter[],
): Operation & BodyPlace {
  const called = reading(derivation, operation, schema, parameters);
  return { ...called, ...bodyPlace(derivation, operation, schema, called.wrappedIn) };
}

/** A create operation, with the documented message for failures. */
export function insertion(
  derivation: Derivation,
  operation: DocumentOperation,
  { properties, schema }: EntityPlan,
  parameters: readonly OperationParameter[],
  fixed: readonly OperationParameter[] = [],
): InsertOperation {
  const settings = member(operation.node, 'x-odata');
  const written = writing(derivation, operation, schema, parameters);
  const { bodyWrappedIn } = written;
  const untaken = nonInsertableProperties(derivation, operation, properties, bodyWrappedIn);
  const sent = sentType(derivation, operation, bodyWrappedIn);
  const given = properties.filter(({ name }) => fixed.some(({ property }) => property === name));
  const unsent = given.filter(({ upstreamName }) => sent?.properties.has(upstreamName) !== true);
  return {
    ...written,
    ...(isUntypedAnswer(derivation, operation) && { untyped: true }),
    verbatim: isVerbatim(derivation, operation),
    failure: text(member(settings, 'failure')),
    nonInsertableProperties: untaken.filter((name) => given.every((each) => each.name !== name)),
    sent,
    media: isMediaSchema(schema) ? mediaInsert(derivation, operation) : undefined,
    ...(fixed.length > 0 && { fixed, unsent: unsent.map(({ name }) => name) }),
  };
}

/** A client sends JSON, which only an operation that takes JSON can be given unchanged. */
function isVerbatim({ source }: Derivation, { node, body }: DocumentOperation): boolean {
  const setting = member(member(node, 'x-odata'), 'body');
  if (setting === undefined || text(setting) !== 'verbatim') return false;
  if (body === undefined || body.kind === 'json') return true;
  const message = `The body is written as ${body.mediaType}: only JSON can be forwarded verbatim`;
  source.report('warning', setting.pointer, message);
  return false;
}

/** The update of an entity, and the PUT next to a PATCH. */
export interface ChangePlan {
  readonly update: DocumentOperation;
  readonly replace: DocumentOperation | undefined;
}

/**
 * A change of an entity at the place where the operations' parameters lead to. A PUT that takes less than the PATCH
 * beside it is no replacement of the whole.
 */
export function changing(
  derivation: Derivation,
  { update, replace }: ChangePlan,
  entity: EntityPlan,
  parametersOf: (operation: DocumentOperation) => readonly OperationParameter[],
): UpdateOperation {
  const change = updating(derivation, update, entity, parametersOf(update));
  const replacing = replace && updating(derivation, replace, entity, parametersOf(replace));
  if (replace === undefined || replacing === undefined) return change;
  const lacks = replacing.nonUpdatableProperties?.filter(
    (name) => change.nonUpdatableProperties?.includes(name) !== true,
  );
  if (lacks === undefined || lacks.length === 0) return { ...change, replacing };
  const message = `It takes no ${lacks.join(', ')}, which the PATCH beside it does: whole entities are sent to that`;
  derivation.source.report('info', replace.node.pointer, message, 'put-takes-less');
  return change;
}

function updating(
  derivation: Derivation,
  operation: DocumentOperation,
  { key, properties, schema: entity }: EntityPlan,
  parameters: readonly OperationParameter[],
): UpdateOperation {
  const keys = new Set(key.map(({ property }) => property.name));
  const free = properties.filter(
    ({ name, schema }) => !keys.has(name) && !isTrue(setting(schema, 'immutable')),
  );
  const written = writing(derivation, operation, entity, parameters);
  const { bodyWrappedIn } = written;
  return {
    ...written,
    method: operation.method === 'put' ? 'PUT' : 'PATCH',
    ...(isCreating(operation) && { inserts: true }),
    ...(key.length > 0 && pathParameters(operation).length === 0 && { keyInBody: true }),
    sent: sentType(derivation, operation, bodyWrappedIn),
    nonUpdatableProperties: nonInsertableProperties(derivation, operation, free, bodyWrappedIn),
  };
}

/** A PUT that may be answered with 201 creates what is not there (RFC 9110, 9.3.4). */
function isCreating({ method, node }: DocumentOperation): boolean {
  return method === 'put' && member(member(node, 'responses'), '201') !== undefined;
}

/**
 * A path of the document to one entity, and its resource path: `/orders/{id}/items/{itemId}` is `Order/Items`
 * with two keys.
 */
export interface Place {
  /** Names without keys. */
  readonly resource: string;
  readonly entity: EntityPlan;
  readonly segments: readonly PathSegment[];
  /** The values of the path parameters, in order. */
  readonly slots: readonly Slot[];
  /** The number of entities in the resource path. */
  readonly length: number;
}

/** A path parameter and the key property that fills it. */
interface Slot {
  /** Its name in the path that the entity is read by; undefined where nothing reads it. */
  readonly parameter: string | undefined;
  readonly property: NamedProperty;
  readonly entity: EntityPlan;
  /** The position of its entity in the resource path, from 1. */
  readonly level: number;
}

/** The place of the entities that an operation reads by key, below another place or at the top. */
export function entityPlace(
  resource: string,
  entity: EntityPlan,
  read: DocumentOperation,
  parent: Place | undefined,
): Place {
  const level = (parent?.length ?? 0) + 1;
  const own = entity.key.flatMap(({ parameter, property }) =>
    parameter === undefined ? [] : [{ parameter, property, entity, level }],
  );
  const above = parent?.slots ?? [];
  const parameters = read.segments.flatMap((segment) => (segment.kind === 'parameter' ? [segment.name] : []));
  const slots = parameters.flatMap(
    (name, index) => above[index] ?? own.find(({ parameter }) => parameter === name) ?? [],
  );
  return { resource, entity, segments: read.segments, slots, length: level };
}

/** The place of entities that are only listed: each is found by the one property of its key. Undefined for other keys. */
export function listedPlace(
  resource: string,
  entity: EntityPlan,
  list: DocumentOperation,
  parent: Place | undefined,
): Place | undefined {
  const [part, ...others] = entity.key;
  if (part === undefined || others.length > 0) return undefined;
  const level = (parent?.length ?? 0) + 1;
  const slot = { parameter: undefined, property: part.property, entity, level };
  const segments: readonly PathSegment[] = [...list.segments, { kind: 'parameter', name: '' }];
  return { resource, entity, segments, slots: [...(parent?.slots ?? []), slot], length: level };
}

/**
 * The place of entities that are only listed, if one property identifies them in their list; fixed filters
 * fill the parameters of its path.
 */
export function placeInList(
  resource: string,
  entity: EntityPlan,
  list: DocumentOperation,
): Place | undefined {
  const [own, ...others] = entity.key.filter(({ parameter }) => parameter === undefined);
  if (own === undefined || others.length > 0) return undefined;
  const given = pathParameters(list).flatMap(
    ({ name }) => entity.key.find(({ parameter }) => parameter === name) ?? [],
  );
  const slots = [...given, own].map((part) => ({ ...part, entity, level: 1 }));
  const segments: readonly PathSegment[] = [...list.segments, { kind: 'parameter', name: '' }];
  return { resource, entity, segments, slots, length: 1 };
}

/** The values of an operation's path parameters at a place; undefined if its path is elsewhere. */
export function fillParameters(
  place: Place,
  { segments }: DocumentOperation,
  level = place.length,
): readonly OperationParameter[] | undefined {
  if (segments.length < place.segments.length) return undefined;
  const filled: OperationParameter[] = [];
  for (const [index, segment] of place.segments.entries()) {
    const given = segments[index];
    if (segment.kind === 'literal' || given?.kind !== 'parameter') {
      if (!isSameLiteral(segment, given)) return undefined;
      continue;
    }
    const slot = place.slots[filled.length];
    const property = slot && fillingProperty(slot, given.name, collectionBefore(segments, index));
    if (slot === undefined || property === undefined) return undefined;
    const up = level - slot.level;
    filled.push({ name: meshName(given.name), property: property.name, ...(up === 0 ? {} : { up }) });
  }
  return filled;
}

function isSameLiteral(segment: PathSegment, given: PathSegment | undefined): boolean {
  return segment.kind === 'literal' && given?.kind === 'literal' && segment.text === given.text;
}

function collectionBefore(segments: readonly PathSegment[], index: number): string | undefined {
  const before = segments[index - 1];
  return before?.kind === 'literal' ? before.text : undefined;
}

/**
 * A parameter at the place where the entity's own path has one means the same, whatever it is called, unless it is named
 * like another property than the key: `{projectId}` where projects are read by `{projectIdOrKey}` and have `key` for that.
 * Where no path reads the entity, the parameter's name has to say it.
 */
function fillingProperty(
  { parameter, property, entity: { schema, properties } }: Slot,
  given: string,
  collection: string | undefined,
): NamedProperty | undefined {
  const isKey = isKeyParameter(schema, property, given, collection);
  if (isKey || parameter === given) return property;
  const otherwise = parameter === undefined ? undefined : property;
  return otherKeyProperty(schema, properties, given, collection) ?? otherwise;
}
