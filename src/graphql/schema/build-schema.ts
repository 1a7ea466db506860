import {
  defaultFieldResolver,
  GraphQLBoolean,
  type GraphQLFieldResolver,
  type GraphQLNamedType,
  GraphQLObjectType,
  GraphQLSchema,
  type GraphQLType,
  getNamedType,
  getNullableType,
  introspectionTypes,
  isCompositeType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isObjectType,
  printSchema,
} from 'graphql';
import { everyFew, finished, type Work } from '../../core/work.ts';
import type { Model } from '../../model/model.ts';
import { claimName } from '../../model/names.ts';
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

/** Fields and types of a schema that are made without a pause: that takes a few milliseconds. */
const AT_ONCE = 64;

/** The schema of a model, or of the part that the caller may see; it yields, since a large model takes seconds. */
export function* buildSchema(shown: ShownModel): Work<GraphQLSchema> {
  const parts = schemaParts(shown);
  const fields = yield* fieldsOf(queryFields(parts), functionFields(parts));
  const changes = yield* fieldsOf(changeFields(parts), linkFields(parts), actionFields(parts));
  const query = new GraphQLObjectType({
    name: 'Query',
    // GraphQL knows no type without fields.
    fields: Object.keys(fields).length === 0 ? { _empty: { type: GraphQLBoolean } } : fields,
  });
  const mutation = new GraphQLObjectType({ name: 'Mutation', fields: changes });
  const hasChanges = Object.keys(changes).length > 0;
  const types = parts.objects.all();
  yield* defineFields([query, mutation, ...types]);
  return new GraphQLSchema({
    query,
    ...(hasChanges && { mutation }),
    types,
    // Validation takes longer than all else: names and uses are made to be right, and a test validates schemas.
    assumeValid: true,
  });
}

/** Of fields that want the same name, the first one has it. */
function* fieldsOf(...parts: readonly Iterable<NamedField>[]): Work<Record<string, RootField>> {
  const fields: Record<string, RootField> = {};
  const taken = new Set<string>();
  const pace = everyFew(AT_ONCE);
  for (const part of parts) {
    for (const [name, field] of part) {
      fields[claimName(name, taken)] = field;
      if (pace.isDue()) yield;
    }
  }
  return fields;
}

/**
 * Has the types make their fields, and all types that these lead to: the schema, which is constructed in one go, finds
 * them made. Their lists of objects are completed in stretches.
 */
function* defineFields(types: readonly GraphQLNamedType[]): Work<void> {
  const found = new Set(types);
  const find = (type: GraphQLType): void => {
    found.add(getNamedType(type));
  };
  const pace = everyFew(AT_ONCE);
  for (const type of found) {
    if (isObjectType(type)) paceLists(type);
    if (isObjectType(type) || isInterfaceType(type)) type.getInterfaces().forEach(find);
    else if (!isInputObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      find(field.type);
      if ('args' in field) for (const argument of field.args) find(argument.type);
      if (pace.isDue()) yield;
    }
  }
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
  return `${printSchema(finished(buildSchema({ model: visible, names: schemaNames(model) })))}\n`;
}

type Resolve = GraphQLFieldResolver<unknown, Partial<GraphQLContext> | undefined>;

/** Has the lists of objects that a type has be completed in stretches. */
function paceLists(type: GraphQLObjectType): void {
  for (const field of Object.values(type.getFields())) {
    const isList = isListType(getNullableType(field.type)) && isCompositeType(getNamedType(field.type));
    if (isList) field.resolve = paced(field.resolve ?? defaultFieldResolver);
  }
}

function paced(resolve: Resolve): Resolve {
  return (source, args, context, info) => {
    const inTurns = (found: unknown) =>
      Array.isArray(found) ? (context?.completionTurns?.inTurns(found) ?? found) : found;
    const found: unknown = resolve(source, args, context, info);
    return found instanceof Promise ? found.then(inTurns) : inTurns(found);
  };
}

// Introspection's types belong to the library, which others use in contexts of their own, and lists them in no other way.
introspectionTypes.filter(isObjectType).forEach(paceLists);
