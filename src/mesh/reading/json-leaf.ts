import type { Value } from '../../contract/row.ts';
import type { StructuralProperty } from '../../model/edm.ts';
import type { JsonType, PrimitiveTypeName } from '../../model/type-use.ts';
import { checkNamed, INTEGER, type LeafCheck } from '../fields/scalar-checks.ts';
import { type Conversion, conversionTo } from './edm-values.ts';

/** What the values of a property are in the upstream's JSON, and how they become values of its EDM type. */
export interface JsonLeaf {
  /** The scalar that is looked for, as GraphQL calls it; `JSON` where the type of a value does not tell whether it is fit. */
  readonly name: string;
  readonly check: LeafCheck;
  /** Undefined where the JSON value is the value already. */
  readonly convert: Conversion | undefined;
}

type Values = Pick<StructuralProperty, 'upstreamTypes' | 'facets'>;

/** `strict`: values beside those that the document allows are refused. */
export function jsonLeaf(type: PrimitiveTypeName, values: Values, strict: boolean): JsonLeaf {
  const [only, ...others] = values.upstreamTypes;
  const name = others.length > 0 ? 'JSON' : scalarNamed(type, only);
  const check = name === 'BigInt' && type === 'Edm.String' ? INTEGER : checkNamed(name);
  const convert = conversionTo(type, name);
  const { allowedValues } = values.facets;
  if (!strict || allowedValues === undefined) return { name, check, convert };
  return { name: 'JSON', check, convert: toOneOf(new Set(allowedValues), convert) };
}

function toOneOf(values: ReadonlySet<unknown>, convert: Conversion = (value) => value as Value): Conversion {
  return (value) => {
    const result = convert(value);
    return values.has(result) ? result : undefined;
  };
}

function scalarNamed(type: PrimitiveTypeName, jsonType: JsonType | undefined): string {
  switch (jsonType) {
    case 'string':
      return 'String';
    case 'boolean':
      return 'Boolean';
    case 'integer':
      return type === 'Edm.String' ? 'BigInt' : (INTEGERS.get(type) ?? 'Float');
    case 'number':
      return INTEGERS.get(type) ?? 'Float';
    default:
      return 'JSON';
  }
}

const INTEGERS: ReadonlyMap<PrimitiveTypeName, string> = new Map([
  ['Edm.SByte', 'Int'],
  ['Edm.Byte', 'Int'],
  ['Edm.Int16', 'Int'],
  ['Edm.Int32', 'Int'],
  ['Edm.Int64', 'BigInt'],
]);
