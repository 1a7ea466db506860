import type { GraphQLField } from 'graphql';
import type { ComplexType, EntityType } from '../../model/edm.ts';
import { withDerivedTypes } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import type { Member, SchemaNames } from './schema-names.ts';

/** The model as GraphQL shows it: all of it, or what somebody may know of. */
export interface Face {
  readonly model: Model;
  /** Made of the whole model. */
  readonly names: SchemaNames;
}

/** What of a model's element a field says in its extensions: selections are made into queries by it. */
const ELEMENT = 'duogate';

export function standingFor(member: Member): { readonly [ELEMENT]: Member } {
  return { [ELEMENT]: member };
}

export function memberOf({ extensions }: GraphQLField<unknown, unknown>): Member | undefined {
  return extensions[ELEMENT] as Member | undefined;
}

export function structuredType({ model }: Face, name: string): EntityType | ComplexType | undefined {
  return model.entityTypes.get(name) ?? model.complexTypes.get(name);
}

/** The types that entities of the type may be of: itself and those derived from it, but for abstract ones. */
export function typesOfEntities(type: EntityType): readonly EntityType[] {
  return withDerivedTypes(type).filter(({ abstract }) => !abstract);
}

/** The fields of a relation's input by which entities are created, and their types. */
export function nestedCreates(
  { names }: Face,
  type: EntityType,
): readonly (readonly [field: string, type: EntityType])[] {
  const derived = type.derived.filter(({ abstract }) => !abstract);
  return [['create', type], ...derived.map((each) => [`create${names.typeOf(each.name)}`, each] as const)];
}
