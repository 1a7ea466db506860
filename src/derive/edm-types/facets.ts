import { isComparable, type TypeDefinition } from '../../model/edm.ts';
import type { Facets, OpaqueTypeName, PrimitiveTypeName } from '../../model/type-use.ts';
import { type DocumentNode, number, prose, text } from '../../openapi/document/document-node.ts';
import type { DocumentSource } from '../../openapi/document/document-source.ts';
import {
  componentName,
  keyword,
  ownSchema,
  type Schema,
  setting,
  valueNodes,
} from '../../openapi/schemas/schema.ts';
import type { Derivation } from '../operations/derivation.ts';
import { markUsed } from '../vocabulary/vocabulary.ts';
import { decimalPattern } from './decimal-pattern.ts';
import { lowerBound, NUMERIC_TYPES, primitiveType, upperBound } from './primitive-type.ts';

/** Fraction digits of seconds if the document does not say; without the facet, there would be no fraction. */
const SECOND_DECIMALS = 12;

const TIME_WORDS = ['precision'];

/** The words of `x-odata` that say facets, by the types that have these. */
const FACET_WORDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['Edm.Decimal', ['precision', 'scale']],
  ['Edm.DateTimeOffset', TIME_WORDS],
  ['Edm.TimeOfDay', TIME_WORDS],
  ['Edm.Duration', TIME_WORDS],
]);

/** The facets of a primitive type (CSDL 4.01, 7.2) and the restrictions that the Validation vocabulary has. */
export function facetsOf(
  source: DocumentSource,
  schema: Schema,
  type: PrimitiveTypeName | OpaqueTypeName,
): Facets {
  markUsed(source, schema, FACET_WORDS.get(type) ?? []);
  return definedOnly({ ...typeFacets(schema, type), allowedValues: allowedValues(schema, type) });
}

/** The values that a schema enumerates without being an enumeration type, if all of them are of the type. */
function allowedValues(
  schema: Schema,
  type: PrimitiveTypeName | OpaqueTypeName,
): Facets['allowedValues'] | undefined {
  if (!isComparable(type)) return undefined;
  const listed = valueNodes(schema).flatMap(({ value }) => value ?? []);
  const values = listed.flatMap((value) => allowedValue(value, type) ?? []);
  return values.length === 0 || values.length < listed.length ? undefined : [...new Set(values)];
}

function allowedValue(value: unknown, type: PrimitiveTypeName): string | number | boolean | undefined {
  if (NUMERIC_TYPES.has(type)) return typeof value === 'number' ? value : undefined;
  if (type === 'Edm.Boolean') return typeof value === 'boolean' ? value : undefined;
  const isText = typeof value === 'string' || (type === 'Edm.String' && typeof value !== 'object');
  return isText ? String(value) : undefined;
}

function typeFacets(schema: Schema, type: PrimitiveTypeName | OpaqueTypeName): Facets {
  const digits = type === 'Edm.Decimal' ? decimalPattern(text(keyword(schema, 'pattern')) ?? '') : undefined;
  switch (type) {
    case 'Edm.String':
      return {
        maxLength: natural(keyword(schema, 'maxLength')),
        pattern: text(keyword(schema, 'pattern')),
      };
    case 'Edm.Decimal':
      return {
        precision: natural(setting(schema, 'precision')) ?? digits?.precision,
        scale: natural(setting(schema, 'scale')) ?? digits?.scale ?? 'variable',
        ...bounds(schema),
      };
    case 'Edm.DateTimeOffset':
    case 'Edm.TimeOfDay':
    case 'Edm.Duration':
      return { precision: natural(setting(schema, 'precision')) ?? SECOND_DECIMALS };
    case 'Edm.Byte':
    case 'Edm.SByte':
    case 'Edm.Int16':
    case 'Edm.Int32':
    case 'Edm.Int64':
    case 'Edm.Single':
    case 'Edm.Double':
      return bounds(schema);
    default:
      return {};
  }
}

function bounds(schema: Schema): Facets {
  return {
    minimum: lowerBound(schema),
    maximum: upperBound(schema),
    multipleOf: number(keyword(schema, 'multipleOf')),
  };
}

function natural(node: DocumentNode | undefined): number | undefined {
  const value = number(node);
  return value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

const NO_FACETS: Facets = {};

function definedOnly(facets: Facets): Facets {
  const names = Object.keys(facets) as readonly (keyof Facets)[];
  const defined = names.filter((name) => facets[name] !== undefined);
  return defined.length === 0 ? NO_FACETS : Object.fromEntries(defined.map((name) => [name, facets[name]]));
}

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
 * Whether the values of a schema have a type definition (CSDL 4.01, 11): a component that restricts a
 * primitive type. A component with only a type is equal to the primitive type. False also for references with
 * another type or other facets, which are not allowed beside a type definition.
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
    description: prose(keyword(schema, 'description')),
    underlyingType,
    facets: facetsOf(source, schema, underlyingType),
  };
}
