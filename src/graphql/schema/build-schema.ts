import { GraphQLBoolean, GraphQLObjectType, GraphQLSchema } from 'graphql';
import { freeName } from '../../model/names.ts';
import type { Face } from '../context/face.ts';
import { actionFields, boundFunctionField, functionFields } from './call-fields.ts';
import { changeInputs } from './change-inputs.ts';
import { collectionArguments } from './collection-arguments.ts';
import { connectionTypes } from './connection-types.ts';
import { filterInputs } from './filter-inputs.ts';
import { linkFields } from './link-fields.ts';
import { changeFields } from './mutation-fields.ts';
import { objectTypes } from './object-types.ts';
import { orderInputs } from './order-inputs.ts';
import { paceLists } from './pace-lists.ts';
import { type NamedField, queryFields, type RootField, type SchemaParts } from './query-fields.ts';
import { valueTypes } from './value-types.ts';

/** The schema of a model, or of what somebody may know of it. */
export function buildSchema(face: Face): GraphQLSchema {
  const parts = schemaParts(face);
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

function schemaParts(face: Face): SchemaParts {
  const scalarFor = valueTypes(face);
  const collections = collectionArguments(filterInputs(face, scalarFor), orderInputs(face));
  const objects = objectTypes({
    face,
    scalarFor,
    collections,
    connections: (of) => connectionTypes(face, scalarFor, of),
    // Functions take and return what types have as fields: it is made when the fields are.
    boundFunction: (type, member) => boundFunctionField(parts, type, member),
  });
  const inputs = changeInputs(face, scalarFor);
  const parts: SchemaParts = {
    face,
    scalarFor,
    objects,
    collections,
    inputs,
    connections: objects.connections,
  };
  return parts;
}
