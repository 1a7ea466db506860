import {
  defaultFieldResolver,
  GraphQLBoolean,
  type GraphQLFieldResolver,
  GraphQLObjectType,
  GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isIntrospectionType,
  isListType,
  isObjectType,
  printSchema,
} from 'graphql';
import type { Model } from '../../model/model.ts';
import { freeName } from '../../model/names.ts';
import type { GraphQLContext } from '../context/graphql-context.ts';
import { type ShownModel, schemaNames } from '../context/schema-names.ts';
import { actionFields, boundFunctionField, functionFields } from './call-fields.ts';
import { changeInputs } from './change-inputs.ts';
import { collectionArguments, filterInputs, orderInputs } from './collection-arguments.ts';
import { connectionTypes } from './connection-types.ts';
import { changeFields, linkFields } from './mutation-fields.ts';
import { objectTypes } from './object-types.ts';
import { type NamedField, queryFields, type RootField, type SchemaParts } from './query-fields.ts';
import { valueTypes } from './scalars.ts';

/** The schema of a model, or of what somebody may know of it. */
export function buildSchema(shown: ShownModel): GraphQLSchema {
  const parts = schemaParts(shown);
  const fields = fieldsOf([...queryFields(parts), ...functionFields(parts)]);
  const changes = fieldsOf([...changeFields(parts), ...linkFields(parts), ...actionFields(parts)]);
  const schema = new GraphQLSchema({
    query: new GraphQLObjectType({
      name: 'Query',
      // GraphQL knows no type without fields.
      fields: Object.keys(fields).length === 0 ? { _empty: { type: GraphQLBoolean } } : fields,
    }),
    ...(Object.keys(changes).length > 0 && {
      mutation: new GraphQLObjectType({ name: 'Mutation', fields: changes }),
    }),
    types: parts.objects.all(),
    // Validation takes longer than all else: names and uses are made to be right, and a test validates schemas.
    assumeValid: true,
  });
  return paceLists(schema);
}

/** Of fields that want the same name, the first one has it. */
function fieldsOf(named: readonly NamedField[]): Record<string, RootField> {
  const fields: Record<string, RootField> = {};
  for (const [name, field] of named) fields[freeName(name, new Set(Object.keys(fields)))] = field;
  return fields;
}

function schemaParts(shown: ShownModel): SchemaParts {
  const scalarFor = valueTypes(shown);
  const collections = collectionArguments(filterInputs(shown, scalarFor), orderInputs(shown));
  const objects = objectTypes({
    shown,
    scalarFor,
    collections,
    connections: (nodes) => connectionTypes({ shown, scalarFor, objects: nodes }),
    // Functions take and return what types have as fields: it is made when the fields are.
    boundFunction: (type, member) => boundFunctionField(parts, type, member),
  });
  const inputs = changeInputs(shown, scalarFor);
  const parts: SchemaParts = {
    shown,
    scalarFor,
    objects,
    collections,
    inputs,
    connections: objects.connections,
  };
  return parts;
}

/** The schema of a service in GraphQL's own language; `visible` is the part of the model that is to be shown. */
export function schemaText(model: Model, visible: Model = model): string {
  return `${printSchema(buildSchema({ model: visible, names: schemaNames(model) }))}\n`;
}

type Resolve = GraphQLFieldResolver<unknown, GraphQLContext>;

/** Has all lists of objects in the schema completed in stretches. */
function paceLists(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    // Those of the introspection are everybody's.
    if (!isObjectType(type) || isIntrospectionType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const isList = isListType(getNullableType(field.type)) && isCompositeType(getNamedType(field.type));
      if (isList) field.resolve = paced(field.resolve ?? defaultFieldResolver);
    }
  }
  return schema;
}

function paced(resolve: Resolve): Resolve {
  return (source, args, context, info) => {
    const inTurns = (found: unknown) =>
      Array.isArray(found) ? context.completionTurns.inTurns(found) : found;
    const found: unknown = resolve(source, args, context, info);
    return found instanceof Promise ? found.then(inTurns) : inTurns(found);
  };
}
