import type { Row, Value } from '../../contract/row.ts';
import {
  type EntityType,
  type NavigationProperty,
  type StructuralProperty,
  withDerivedTypes,
} from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import type { SentType } from '../../model/operation.ts';
import { takenProperties } from '../../model/sent-type.ts';
import type { OpaqueTypeName, PrimitiveTypeName } from '../../model/type-use.ts';
import { isTypeControl, type ModelType, qualifiedName } from '../typing/expression-type.ts';
import type {
  CreatedMember,
  MemberChange,
  NavigationBinding,
  NestedChange,
  RelatedChanges,
} from './entity-input.ts';
import { type InputObject, type Mistakes, pathTo, quote } from './mistakes.ts';

/** The kind of change: Part 1, 11.4.2, 11.4.3 and 11.4.4. */
export type InputKind = 'insert' | 'update' | 'replace';

/** Converts a text that was given for a value of the type; undefined without conversions. */
export type TextReader = (type: PrimitiveTypeName | OpaqueTypeName, text: string) => unknown;

/** One reading of what a client says. */
export interface Reading {
  readonly model: Model;
  readonly kind: InputKind;
  readonly mistakes: Mistakes;
  readonly ofText: TextReader | undefined;
  /** The body schema at this position. */
  readonly sent: SentType | undefined;
  /** True if an update turned out to create the entity. */
  readonly isUpsert?: boolean;
  readonly readEntity: ReadEntity;
}

/** A value of the body, and the path that leads to it. */
export interface Placed<Json = unknown> {
  readonly json: Json;
  readonly path: string;
}

/** The members of an object that could be read; invalid ones are missing. */
export interface ReadObject<Type extends ModelType> {
  readonly declared: Type;
  readonly type: Type;
  readonly values: Row;
  readonly bindings: readonly NavigationBinding[];
  readonly nested: readonly ReadNested[];
  readonly changes: readonly ReadChanges[];
}

export interface ReadNested {
  readonly property: NavigationProperty;
  readonly entities: readonly ReadObject<EntityType>[];
}

export interface ReadChanges extends Omit<RelatedChanges, 'members'> {
  readonly members: readonly ReadMember[];
}

export type ReadMember =
  | Exclude<MemberChange, NestedChange | CreatedMember>
  | (Omit<CreatedMember, 'body'> & { readonly entity: ReadObject<EntityType> })
  | (Omit<NestedChange, 'body'> & { readonly entity: ReadObject<EntityType> });

/** Reads a nested entity. */
export type ReadEntity = (
  reading: Reading,
  declared: EntityType,
  placed: Placed<InputObject>,
  given?: readonly string[],
) => ReadObject<EntityType>;

/**
 * The type of an object: that of its control information `type` (JSON Format, 4.5.3), of its discriminator,
 * or else the declared one.
 */
export function typeOfObject<Type extends ModelType>(
  declared: Type,
  { json: object, path }: Placed<InputObject>,
  mistakes: Mistakes,
): Type | Type['derived'][number] {
  const [name, reference] = Object.entries(object).find(([member]) => isTypeControl(member)) ?? [];
  if (name === undefined) return typeOfDiscriminator(declared, object) ?? declared;
  const type = typeof reference === 'string' ? typeReferred(declared, reference) : undefined;
  if (type === undefined || type.abstract) {
    const found = typeof reference === 'string' ? quote(reference) : 'no name';
    mistakes.add(pathTo(path, name), `${qualifiedName(declared)} or a type derived from it`, found);
    return declared;
  }
  return type;
}

/** `#Ns.Type`, after the URL of the metadata document or not. */
function typeReferred<Type extends ModelType>(declared: Type, reference: string) {
  const name = reference.slice(reference.lastIndexOf('#') + 1);
  return withDerivedTypes(declared).find((type) => qualifiedName(type) === name);
}

function typeOfDiscriminator<Type extends ModelType>({ derived }: Type, object: InputObject) {
  return derived.find((type): type is Type['derived'][number] => {
    const sign = discriminatorOf(type);
    return (
      sign !== undefined &&
      !type.abstract &&
      Object.hasOwn(object, sign.name) &&
      object[sign.name] === sign.value
    );
  });
}

/** The discriminator for objects of the type: a property of the model, or a member of the upstream's JSON. */
export function discriminatorOf({
  discriminator,
  structuralProperties,
}: ModelType): { readonly name: string; readonly value: Value } | undefined {
  if (discriminator?.value === undefined) return undefined;
  const { upstreamName, value } = discriminator;
  const property = [...structuralProperties.values()].find(
    (candidate) => candidate.upstreamName === upstreamName,
  );
  if (property === undefined) return { name: upstreamName, value };
  return { name: property.name, value: memberNamed(property, value) };
}

function memberNamed({ type }: StructuralProperty, value: string): string {
  const members = type.kind === 'enumeration' ? type.members : undefined;
  return members?.find(({ upstreamValue }) => String(upstreamValue) === value)?.name ?? value;
}

/**
 * The discriminator member for a type given by the object or its position; the type of an entity cannot
 * change (Part 1, 11.4.3).
 */
export function discriminatorMember(
  { kind, mistakes }: Reading,
  type: ModelType,
  { json: object, path }: Placed<InputObject>,
  told: readonly [string, Value][],
): readonly [string, Value][] {
  const isKnown = Object.keys(object).some(isTypeControl) || type.base !== undefined;
  const isChecked = isKnown && (kind !== 'update' || !('key' in type));
  const sign = isChecked ? discriminatorOf(type) : undefined;
  if (sign === undefined) return [];
  const discriminator = told.find(([name]) => name === sign.name);
  if (discriminator === undefined) return [[sign.name, sign.value]];
  // A value with the base type may belong to an undeclared type.
  const isExact = type.base !== undefined && type.discriminator?.otherValues === undefined;
  const isOther = isExact && discriminator[1] !== sign.value;
  if (isOther && discriminator[1] !== null) {
    const expected = `"${String(sign.value)}", as ${qualifiedName(type)} has it`;
    mistakes.add(pathTo(path, sign.name), expected, quote(String(discriminator[1])));
  }
  return [];
}

/**
 * Part 1, 11.4.2: reports missing required properties without a default. Keys may be missing, because many
 * APIs assign them without documenting it.
 */
export function checkRequired(
  { kind, mistakes, sent }: Pick<Reading, 'kind' | 'mistakes' | 'sent'>,
  type: ModelType,
  { json: object, path }: Placed<InputObject>,
  told: ReadonlySet<string>,
): void {
  for (const [name, property] of takenProperties(type, sent)) {
    const { required, nullable, collection, computed, immutable, defaultValue } = property;
    const isFree = !required || nullable || collection || computed || defaultValue !== undefined;
    const isFixed = kind === 'replace' && immutable;
    if (isFree || isFixed || told.has(name) || Object.hasOwn(object, name)) continue;
    if (property.type.name !== 'Edm.Stream') mistakes.add(pathTo(path, name), 'a value', 'none');
  }
}
