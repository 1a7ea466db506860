import { type GraphQLSchema, isInputObjectType, isObjectType, isRequiredInputField } from 'graphql';
import { type FieldRemark, type SchemaPatches, SENT_SUFFIX } from '../normalized-document/schema-patches.ts';
import { withInterfaces } from './type-interfaces.ts';

/** Puts into the schema what its document could not tell Mesh. It changes types in place, or makes them anew. */
export function applyPatches(schema: GraphQLSchema, { families, remarks }: SchemaPatches): GraphQLSchema {
  for (const remark of remarks) applyRemark(schema, remark);
  nameInputs(schema);
  return withInterfaces(schema, families);
}

/** What Mesh puts behind the name of an object to have that of its input. */
const INPUT_SUFFIX = '_Input';

function applyRemark(schema: GraphQLSchema, { type, field, description, deprecated }: FieldRemark): void {
  const object = schema.getType(type);
  const output = isObjectType(object) ? object.getFields()[field] : undefined;
  if (output !== undefined) {
    output.description = description ?? output.description;
    if (deprecated) output.deprecationReason = DEPRECATED;
  }
  const inputObject = schema.getType(`${type}${INPUT_SUFFIX}`);
  const input = isInputObjectType(inputObject) ? inputObject.getFields()[field] : undefined;
  if (input === undefined) return;
  input.description = description ?? input.description;
  // GraphQL, 3.10: what is required cannot be deprecated.
  if (deprecated && !isRequiredInputField(input)) input.deprecationReason = DEPRECATED;
}

const DEPRECATED = 'deprecated';

/** That the input differs from the object is no part of its name. */
function nameInputs(schema: GraphQLSchema): void {
  const ending = `${SENT_SUFFIX}${INPUT_SUFFIX}`;
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isInputObjectType(type) || !type.name.endsWith(ending)) continue;
    const name = `${type.name.slice(0, -ending.length)}${INPUT_SUFFIX}`;
    if (schema.getType(name) === undefined) type.name = name;
  }
}
