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
} from 'graphql';
import { everyFew, finished, type Work } from '../../core/work.ts';
import type { Model } from '../../model/model.ts';
import { claimName } from '../../model/names.ts';
import type { GraphQLContext } from '../context/graphql-context.ts';
import {
  DEFAULT_FORM,
  type IdUse,
  type SchemaForm,
  type ShownModel,
  schemaNames,
} from '../context/schema-names.ts';
import { actionFields, boundFunctionField, functionFields } from './call-fields.ts';
import { changeInputs } from './change-inputs.ts';
import { collectionArguments, filterInputs, orderInputs } from './collection-arguments.ts';
import { connectionTypes } from './connection-types.ts';
import { federationFields, writtenSchema } from './federation.ts';
import { changeFields, linkFields, manyFields } from './mutation-fields.ts';
import { nodeFields } from './node-fields.ts';
import { objectTypes } from './object-types.ts';
import { type NamedField, queryFields, type RootField, type SchemaParts } from './query-fields.ts';
import { valueTypes } from './scalars.ts';

/** Fields and types that are built between two yields: they take a few milliseconds. */
const AT_ONCE = 64;

/** Builds the schema of a model; yields, because a large model takes seconds. */
export function* buildSchema(shown: ShownModel): Work<GraphQLSchema> {
  const parts = schemaParts(shown);
  const read = [queryFields(parts), functionFields(parts)];
  // Without global identifiers of their own, fields of the API come first.
  const isGlobal = shown.names.node.field === 'id';
  const fields = yield* fieldsOf(
    ...(isGlobal ? [nodeFields(parts), ...read] : [...read, nodeFields(parts)]),
    shown.form.federation ? federationFields(parts) : [],
  );
  const changes = yield* fieldsOf(
    changeFields(parts),
    linkFields(parts),
    actionFields(parts),
    manyFields(parts),
  );
  const query = new GraphQLObjectType({
    name: 'Query',
    // GraphQL requires at least one field.
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
    // Validation would take longer than everything else; a test validates schemas instead.
    assumeValid: true,
  });
}

/** If several fields have the same name, the first one wins. */
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
 * Makes types create their fields, and all types that these refer to, so that the schema is constructed
 * quickly. Lists of objects are completed in stretches.
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
    // Functions use the types of fields, so they are created with the fields.
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

/** The schema of a service in GraphQL's schema language; `visible` is the part of the model to show. */
export function schemaText(
  model: Model,
  visible: Model = model,
  { ids = 'upstream', ...form }: Partial<SchemaForm> & { readonly ids?: IdUse } = {},
): string {
  const shown = { model: visible, names: schemaNames(model, ids), form: { ...DEFAULT_FORM, ...form } };
  return writtenSchema(shown, finished(buildSchema(shown)));
}

type Resolve = GraphQLFieldResolver<unknown, Partial<GraphQLContext> | undefined>;

/** Completes the lists of a type's objects in stretches. */
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

// Introspection types belong to the library and are shared, and cannot be paced otherwise.
introspectionTypes.filter(isObjectType).forEach(paceLists);
