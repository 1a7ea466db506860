import {
  type GraphQLInputFieldConfigMap,
  GraphQLInputObjectType,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLNullableType,
} from 'graphql';
import { madeOnce } from '../../model/maps.ts';
import type { SchemaNames } from '../context/schema-names.ts';

/** A list that is always there, with no null in it. */
export function listOf<Item extends GraphQLNullableType>(item: Item) {
  return new GraphQLNonNull(several(item));
}

/** Several of something, or nothing. */
export function several<Item extends GraphQLNullableType>(item: Item) {
  return new GraphQLList(new GraphQLNonNull(item));
}

/** What a field says of what the API's document calls deprecated. */
export function deprecation(isDeprecated: boolean | undefined): { readonly deprecationReason?: string } {
  return isDeprecated ? { deprecationReason: 'The API says that it is deprecated.' } : {};
}

/** The input of a type with a suffix, as `PostFilter`. */
export type InputTypes = (
  type: string,
  suffix: string,
  fields: () => GraphQLInputFieldConfigMap,
  isOneOf?: boolean,
) => GraphQLInputObjectType;

/** Input types, each made once. */
export function inputTypes(names: SchemaNames): InputTypes {
  const made = new Map<string, GraphQLInputObjectType>();
  return (type, suffix, fields, isOneOf = false) => {
    const name = names.generated(type, suffix);
    return madeOnce(made, name, () => new GraphQLInputObjectType({ name, fields, isOneOf }));
  };
}
