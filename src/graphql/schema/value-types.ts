import {
  GraphQLBoolean,
  GraphQLEnumType,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  type GraphQLScalarType,
  GraphQLString,
} from 'graphql';
import type { EnumerationType, ValueType } from '../../model/edm.ts';
import type { Face } from '../context/face.ts';
import {
  BASE64,
  DATE,
  DATE_TIME,
  DECIMAL,
  DURATION,
  GEO_JSON,
  JSON_VALUE,
  LONG,
  TIME_OF_DAY,
  UUID,
} from './scalars.ts';

const SCALARS: ReadonlyMap<string, GraphQLScalarType> = new Map<string, GraphQLScalarType>([
  ['Edm.Binary', BASE64],
  ['Edm.Boolean', GraphQLBoolean],
  ['Edm.Byte', GraphQLInt],
  ['Edm.SByte', GraphQLInt],
  ['Edm.Int16', GraphQLInt],
  ['Edm.Int32', GraphQLInt],
  ['Edm.Int64', LONG],
  ['Edm.Decimal', DECIMAL],
  ['Edm.Single', GraphQLFloat],
  ['Edm.Double', GraphQLFloat],
  ['Edm.Date', DATE],
  ['Edm.DateTimeOffset', DATE_TIME],
  ['Edm.TimeOfDay', TIME_OF_DAY],
  ['Edm.Duration', DURATION],
  ['Edm.Guid', UUID],
  ['Edm.String', GraphQLString],
  ['Edm.Untyped', JSON_VALUE],
  ['Edm.Stream', JSON_VALUE],
]);

/** The scalar that shows values of a primitive type. */
export function scalarOf(name: string): GraphQLScalarType {
  return SCALARS.get(name) ?? GEO_JSON;
}

export type ScalarFor = (type: ValueType, isKey?: boolean) => GraphQLScalarType | GraphQLEnumType;

/** Scalars and enumerations, each made once for a schema. The parts of a key are IDs, by which clients keep entities. */
export function valueTypes({ names }: Face): ScalarFor {
  const enums = new Map<string, GraphQLEnumType>();
  return (type, isKey = false) => {
    if (type.kind === 'primitive') return isKey ? GraphQLID : scalarOf(type.name);
    if (type.kind !== 'enumeration') return JSON_VALUE;
    const made = enums.get(type.name) ?? enumType(names.typeOf(type.name), type, names.valuesOf(type));
    enums.set(type.name, made);
    return made;
  };
}

/** Inside, members go by the names that the model gives them. */
function enumType(
  name: string,
  { description }: EnumerationType,
  values: ReadonlyMap<string, string>,
): GraphQLEnumType {
  return new GraphQLEnumType({
    name,
    description,
    values: Object.fromEntries([...values].map(([written, member]) => [written, { value: member }])),
  });
}

/** Whether values of the type are lists of members, which the model writes with commas. */
export function isFlags(type: ValueType): boolean {
  return type.kind === 'enumeration' && type.flags;
}
