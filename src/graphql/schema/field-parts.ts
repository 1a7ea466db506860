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

/** A non-null list of non-null items. */
export function listOf<Item extends GraphQLNullableType>(item: Item) {
  return new GraphQLNonNull(several(item));
}

/** A nullable list of non-null items. */
export function several<Item extends GraphQLNullableType>(item: Item) {
  return new GraphQLList(new GraphQLNonNull(item));
}

/** The deprecation of a field, if the API's document declares it. */
export function deprecation(isDeprecated: boolean | undefined): { readonly deprecationReason?: string } {
  return isDeprecated ? { deprecationReason: 'The API says that it is deprecated.' } : {};
}

/** Maximum number of values in a description. */
const LISTED_VALUES = 50;

/** The description of a value, with the allowed values. */
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

/** Reads the value of a property for its field. */
export function valueReader({ name, type, collection }: StructuralProperty): ReadValue {
  if (isFlags(type)) return (row) => shownValue({ type, collection }, row[name] ?? (collection ? [] : null));
  return collection ? (row) => row[name] ?? [] : (row) => row[name];
}

/** The value of a field: flags are lists in place of one text (JSON Format 4.01, 7.1). */
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

/** The input type with a suffix, such as `PostFilter`. */
export type InputTypes = (
  type: string,
  suffix: string,
  fields: () => GraphQLInputFieldConfigMap,
  isOneOf?: boolean,
) => GraphQLInputObjectType;

export function inputTypes(names: SchemaNames): InputTypes {
  const made = new Map<string, GraphQLInputObjectType>();
  return (type, suffix, fields, isOneOf = false) => {
    const name = names.generated(type, suffix);
    return madeOnce(made, name, () => new GraphQLInputObjectType({ name, fields, isOneOf }));
  };
}
