import {
  type GraphQLFieldConfigArgumentMap,
  type GraphQLInputFieldConfig,
  type GraphQLInputFieldConfigMap,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
} from 'graphql';
import type { ModelType } from '../../engine/typing/expression-type.ts';
import type { EntityType, NavigationProperty, StructuralProperty, TypeUse } from '../../model/edm.ts';
import type { KeyArgument } from '../change/change-place.ts';
import type { InputMember } from '../context/members.ts';
import { nestedCreates, type ShownModel } from '../context/schema-names.ts';
import { keyNames } from '../query/key.ts';
import { inputTypes, several } from './field-parts.ts';
import { isFlags, JSON_VALUE, type ScalarFor } from './scalars.ts';

/** The inputs of changes, and of the parameters of functions and actions. */
export interface ChangeInputs {
  /** What may be said of entities or complex values of the type. */
  of(type: ModelType): GraphQLInputObjectType;
  use(use: TypeUse): GraphQLInputType;
}

/** All may be left out: what a change must have is the API's to say, and checked as in OData. */
export function changeInputs(shown: ShownModel, scalarFor: ScalarFor): ChangeInputs {
  const input = inputTypes(shown.names);
  const once = (type: ModelType, suffix: string, fields: () => GraphQLInputFieldConfigMap) =>
    input(shown.names.typeOf(type.name), suffix, fields);
  const of = (type: ModelType) => once(type, 'Input', () => inputFields(type));

  function inputFields(type: ModelType): GraphQLInputFieldConfigMap {
    const fields = [...shown.names.inputsOf(type)].map(
      ([name, member]) => [name, inputField(member)] as const,
    );
    return fields.length === 0 ? { additionalProperties: { type: JSON_VALUE } } : Object.fromEntries(fields);
  }

  function inputField(member: InputMember): GraphQLInputFieldConfig {
    if (member.kind === 'dynamic') return { type: JSON_VALUE };
    if (member.kind !== 'property') return { type: relation(member.navigation) };
    const { property } = member;
    return { type: use(property, true), description: property.description };
  }

  /**
   * Related entities are created with the one that is changed, or linked to it where they are there already, which those
   * that it contains never are.
   */
  function relation(navigation: NavigationProperty): GraphQLInputObjectType {
    const { entityType, collection, origin, containsTarget } = navigation;
    const suffix = origin.kind === 'embedded' || containsTarget ? 'Part' : 'Relation';
    return once(entityType, collection ? `List${suffix}` : suffix, () => {
      const given = (type: GraphQLInputObjectType) => (collection ? several(type) : type);
      const isLinkable = suffix === 'Relation' && entityType.key.length > 0;
      return {
        ...Object.fromEntries(
          nestedCreates(shown, entityType).map(([field, type]) => [field, { type: given(of(type)) }]),
        ),
        ...(isLinkable && { link: { type: given(key(entityType)) } }),
      };
    });
  }

  function key(type: EntityType): GraphQLInputObjectType {
    return once(type, 'Key', () =>
      Object.fromEntries(
        keyNames(shown, type).map(([argument, property]) => [argument, keyInput(scalarFor, property)]),
      ),
    );
  }

  function use({ type, collection, nullable }: TypeUse, isOptional = false): GraphQLInputType {
    const value = type.kind === 'complex' || type.kind === 'entity' ? of(type) : scalarFor(type);
    const single = isFlags(type) ? several(value) : value;
    if (collection) return new GraphQLList(nullable ? single : new GraphQLNonNull(single));
    return nullable || isOptional ? single : new GraphQLNonNull(single);
  }

  return { of, use };
}

/** The parts of keys, by the names of the fields that show them. */
export function keyInputs(
  { scalarFor }: { readonly scalarFor: ScalarFor },
  keys: readonly KeyArgument[],
): GraphQLFieldConfigArgumentMap {
  return Object.fromEntries(keys.map(({ argument, property }) => [argument, keyInput(scalarFor, property)]));
}

function keyInput(scalarFor: ScalarFor, { type }: StructuralProperty): GraphQLInputFieldConfig {
  return { type: new GraphQLNonNull(scalarFor(type, true)) };
}
