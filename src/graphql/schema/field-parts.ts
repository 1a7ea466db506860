import {
  type GraphQLInputFieldConfigMap,
  GraphQLInputObjectType,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLNullableType,
} from 'graphql';
import type { Row } from '../../contract/row.ts';
import type { StructuralProperty, TypeUse } from '../../model/edm.ts';
import { madeOnce } from '../../model/maps.ts';
import type { SchemaNames } from '../context/schema-names.ts';
import { isFlags } from './scalars.ts';

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

/** Values that a description lists. */
const LISTED_VALUES = 50;

/** The description of a value, with the values that the API's document allows. */
export function describedValue({
  description,
  facets: { allowedValues = [] },
}: Pick<TypeUse, 'facets'> & { readonly description: string | undefined }): string | undefined {
  if (allowedValues.length === 0) return description;
  const listed = allowedValues.slice(0, LISTED_VALUES).map(String);
  const values = [...listed, ...(allowedValues.length > LISTED_VALUES ? ['…'] : [])].join(', ');
  return [...(description === undefined ? [] : [description]), `One of: ${values}`].join('\n\n');
}

type ReadValue = (row: Row) => unknown;

/** Reads the value of a property as fields show it. */
export function valueReader({ name, type, collection }: StructuralProperty): ReadValue {
  if (isFlags(type)) return (row) => shownValue({ type, collection }, row[name] ?? (collection ? [] : null));
  return collection ? (row) => row[name] ?? [] : (row) => row[name];
}

/** A value as fields show it: flags are lists, where the model has members in one text (JSON Format 4.01, 7.1). */
export function shownValue(
  { type, collection }: Pick<TypeUse, 'type' | 'collection'>,
  value: unknown,
): unknown {
  if (!isFlags(type) || value === null || value === undefined) return value;
  if (collection)
    return Array.isArray(value) ? value.map((item) => shownValue({ type, collection: false }, item)) : value;
  const members = type.kind === 'enumeration' ? type.members : [];
  const isEmptyList = members.some(
    ({ name, upstreamValue }) => name === value && upstreamValue === undefined,
  );
  return value === '' || isEmptyList ? [] : String(value).split(',');
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
