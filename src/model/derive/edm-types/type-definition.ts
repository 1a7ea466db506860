import { text } from '../../../openapi/document/document-node.ts';
import { componentName, keyword, ownSchema, type Schema, setting } from '../../../openapi/schemas/schema.ts';
import type { TypeDefinition } from '../../edm.ts';
import type { Facets, OpaqueTypeName, PrimitiveTypeName } from '../../type-use.ts';
import type { Derivation } from '../operations/derivation.ts';
import { facetsOf } from './facets.ts';
import { primitiveType } from './primitive-type.ts';

type TypeName = PrimitiveTypeName | OpaqueTypeName;

const RESTRICTIONS = [
  'maxLength',
  'pattern',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'enum',
];

/**
 * Whether the values of a schema are of a type definition (CSDL 4.01, 11): a component that restricts a
 * primitive type. One that only names a type says no more than the type itself. Nor is it one where it is
 * referred to with another type or other facets, which a use of a type definition must not have.
 */
export function isDefinition(
  { source }: Derivation,
  schema: Schema,
  type: TypeName,
  { maxLength, precision, scale }: Facets,
): boolean {
  if (componentName(schema) === undefined) return false;
  const own = ownSchema(schema);
  if (!isRestricted(own) || primitiveType(source, own) !== type) return false;
  const facets = facetsOf(source, own, type);
  return facets.maxLength === maxLength && facets.precision === precision && facets.scale === scale;
}

function isRestricted(schema: Schema): boolean {
  const isSet = setting(schema, 'precision') ?? setting(schema, 'scale');
  return isSet !== undefined || RESTRICTIONS.some((name) => keyword(schema, name) !== undefined);
}

export function typeDefinition(
  { namespace, source }: Derivation,
  schema: Schema,
  name: string,
  underlyingType: TypeName,
): TypeDefinition {
  return {
    namespace,
    name,
    description: text(keyword(schema, 'description')),
    underlyingType,
    facets: facetsOf(source, schema, underlyingType),
  };
}
