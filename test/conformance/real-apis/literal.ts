import { plainWord } from '../../support/mock-api/plain-word.ts';
import type { KeyProperty, TypedProperty } from './served-model.ts';

/** OData 4.01 Part 2, 5.1.1.14: a value as a URL has it. */
export function literal(value: unknown, type: TypedProperty['type']): string {
  if (value === null || value === undefined) return 'null';
  const isText = typeof type !== 'string' || type === 'Edm.String';
  return isText ? `'${String(value).replaceAll("'", "''")}'` : String(value);
}

/** Any value that a property of that type may have. */
function sampleLiteral({ type }: TypedProperty): string {
  if (typeof type !== 'string') return literal(type[0], type);
  switch (type) {
    case 'Edm.String':
      return "'p7'";
    case 'Edm.Boolean':
      return 'true';
    case 'Edm.Guid':
      return '00000000-0000-4000-a000-000000000007';
    case 'Edm.Date':
      return '2024-01-07';
    case 'Edm.DateTimeOffset':
      return '2024-01-07T00:00:00Z';
    default:
      return '7';
  }
}

/**
 * Literals of properties with the values of parameters: by name, or in order without matching names.
 * Arbitrary values without parameters.
 */
export function literalsFor(
  properties: readonly TypedProperty[],
  parameters: Readonly<Record<string, string>> = {},
): readonly string[] {
  const values = new Map(Object.entries(parameters).map(([name, value]) => [plainWord(name), value]));
  const named = properties.map(({ path }) => {
    const value = values.get(plainWord(path));
    values.delete(plainWord(path));
    return value;
  });
  const others = [...values.values()];
  return properties.map((property, index) => {
    const value = named[index] ?? others.shift();
    return value === undefined ? sampleLiteral(property) : literal(value, property.type);
  });
}

/** OData 4.01 Part 2, 4.3.1: `Orders(7)`, `Items(Order='7',Number=1)`. */
export function entityPath(
  resource: string,
  key: readonly KeyProperty[],
  literals: readonly string[],
): string {
  const parts = key.map(({ alias }, index) => {
    const written = encodeURIComponent(literals[index] ?? 'null');
    return key.length === 1 ? written : `${alias}=${written}`;
  });
  return `${resource}(${parts.join(',')})`;
}
