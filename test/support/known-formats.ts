import { createRequire } from 'node:module';

/** As much of Ajv as is looked at. */
interface SchemaValidator {
  validateSchema(schema: unknown, ...others: readonly unknown[]): unknown;
}

const requireOf = (path: string, name: string): string => createRequire(path).resolve(name);
const mesh = ['@graphql-mesh/openapi', '@omnigraph/openapi', '@omnigraph/json-schema', 'ajv'];
const { Ajv } = createRequire(import.meta.url)(mesh.reduce(requireOf, import.meta.filename));
const validator: SchemaValidator = Ajv.prototype;
const { validateSchema } = validator;

/** The schemas that were found valid, in JSON. */
const valid = new Set<string>();

/**
 * Mesh makes an Ajv for each document, which compiles the whole schema of JSON schemas to find that schemas such as
 * `{ type: 'string', format: 'date' }` are valid: in tests, one that is known to be so is not examined again.
 */
validator.validateSchema = function (schema, ...others) {
  const text = JSON.stringify(schema);
  if (valid.has(text)) return true;
  const isValid = validateSchema.call(this, schema, ...others);
  if (isValid === true) valid.add(text);
  return isValid;
};
