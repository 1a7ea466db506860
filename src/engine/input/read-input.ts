import type { Arguments } from '../../contract/entity-source.ts';
import type { Row } from '../../contract/row.ts';
import type { Callable, CallableParameter, EntityType, NavigationProperty } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import type { SentType } from '../../model/operation.ts';
import type { EntityInput, MemberChange, NestedChange } from './entity-input.ts';
import type { InputObject } from './input-value.ts';
import { Mistakes, quote } from './mistakes.ts';
import { keysBack, sentBehind } from './navigation-input.ts';
import type { InputKind, Reading, ReadMember, ReadObject } from './reading.ts';
import { keepFacets } from './scalar-input.ts';
import { readEntityObject, readUse } from './structured-input.ts';

/** How an object is read. */
export interface InputOptions {
  readonly kind: InputKind;
  /** What the operation takes; undefined where the document does not say. */
  readonly sent: SentType | undefined;
  /** The key of an insert that was to be a change, also by deltas (Part 1, 11.4.4). */
  readonly upsertKey?: Row;
  /** What is known of the entity already. */
  readonly given?: Row;
  readonly ofText?: Reading['ofText'];
}

/**
 * Checks what an object by the model's names says of an entity. All mistakes are told together, with those that were
 * found before: a BadRequest with a detail for each, whose target is the path of the member.
 */
export function readEntityInput(
  model: Model,
  entityType: EntityType,
  object: InputObject,
  { kind, sent, upsertKey, given = {}, ofText }: InputOptions,
  mistakes: Mistakes = new Mistakes(),
): EntityInput {
  const reading = { model, kind, mistakes, ofText, sent, isUpsert: upsertKey !== undefined };
  demandFacets(reading, entityType, upsertKey ?? {});
  const read = readEntityObject(reading, entityType, object, '', Object.keys(given));
  const entity = withGiven(read, given, mistakes);
  mistakes.refuseAny();
  return toEntityInput(entity);
}

/** Members of a change that turn out to be new, as entities to be created behind the navigation property. */
export function readNewMembers(
  model: Model,
  owner: EntityType,
  property: NavigationProperty,
  members: readonly NestedChange[],
  ofText: Reading['ofText'],
): readonly EntityInput[] {
  const mistakes = new Mistakes();
  const given = keysBack(property);
  const sent = sentBehind(undefined, owner, property);
  const reading = {
    model,
    kind: 'insert',
    mistakes,
    ofText,
    sent,
    isUpsert: true,
  } as const;
  const read = members.map(({ json, path }) =>
    readEntityObject(reading, property.entityType, json, path, given),
  );
  mistakes.refuseAny();
  return read.map((each) => toEntityInput(each));
}

/** The parameters of an action, by the model's names (Part 1, 11.5.5.1); those left out are absent. */
export function readParameters(
  model: Model,
  { parameters }: Pick<Callable, 'parameters'>,
  object: InputObject,
  ofText: Reading['ofText'] = undefined,
  mistakes: Mistakes = new Mistakes(),
): Arguments {
  refuseUnknown(parameters, object, mistakes);
  const given = parameters.filter((parameter) => isGiven(parameter, object, mistakes));
  const values = given.map((parameter) => [
    parameter.name,
    readUse(
      { model, kind: 'insert', mistakes, ofText, sent: parameter.sent },
      parameter,
      object[parameter.name],
      parameter.name,
    ),
  ]);
  mistakes.refuseAny();
  return Object.fromEntries(values);
}

function refuseUnknown(
  parameters: readonly CallableParameter[],
  object: InputObject,
  mistakes: Mistakes,
): void {
  for (const name of Object.keys(object)) {
    const isKnown = name.includes('@') || parameters.some((parameter) => parameter.name === name);
    if (!isKnown) mistakes.add(name, 'the name of a parameter', 'none of them');
  }
}

/** A parameter that may be null, or is a collection, may be left out, too (Part 1, 11.5.5.1). */
function isGiven(
  { name, optional, nullable, collection }: CallableParameter,
  object: InputObject,
  mistakes: Mistakes,
): boolean {
  if (Object.hasOwn(object, name)) return true;
  if (!optional && !nullable && !collection) mistakes.add(name, 'a value', 'none');
  return false;
}

/** What the URL of a new entity says of it keeps the facets of its properties, as what a body says does. */
function demandFacets(reading: Reading, { structuralProperties }: EntityType, given: Row): void {
  for (const [name, value] of Object.entries(given)) {
    const property = structuralProperties.get(name);
    if (property !== undefined) keepFacets(reading, property, value, name);
  }
}

/** An entity with what the URL says of it: a body may repeat that, and says nothing else in its place. */
function withGiven(entity: ReadObject<EntityType>, given: Row, mistakes: Mistakes): ReadObject<EntityType> {
  const { values, nested } = entity;
  for (const [name, value] of Object.entries(given)) {
    const said = values[name];
    const isOther = said !== undefined && String(said) !== String(value);
    if (isOther) mistakes.add(name, `${quote(String(value))}, as the URL says`, quote(String(said)));
  }
  for (const { property } of nested) {
    const isGiven = property.constraints.some((each) => Object.hasOwn(given, each.property));
    if (isGiven) mistakes.add(property.name, 'the entity that the URL leads to', 'a new one');
  }
  return { ...entity, values: { ...values, ...given } };
}

/** What was read of an entity without a mistake. */
function toEntityInput(entity: ReadObject<EntityType>): EntityInput {
  const { type, values, bindings, nested, changes } = entity;
  return {
    entityType: type,
    values,
    bindings,
    nested: nested.map(({ property, entities }) => ({
      property,
      entities: entities.map((each) => toEntityInput(each)),
    })),
    changes: changes.map(({ members, ...others }) => ({
      ...others,
      members: members.map((member) => toMemberChange(member)),
    })),
  };
}

function toMemberChange(member: ReadMember): MemberChange {
  if (member.kind !== 'entity') return member;
  const { entity, ...others } = member;
  return { ...others, body: toEntityInput(entity) };
}
