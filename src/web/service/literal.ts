import type { PropertyType } from './metadata.ts';

/** Writes a value as OData's URL conventions want it for the type (OData 4.01 Part 2, 5.1.1.14.1). */
export function writeLiteral(type: PropertyType, text: string): string {
  if (type.kind === 'enum') return `${type.name}${quote(text)}`;
  switch (type.name) {
    case 'Edm.String':
      return quote(text);
    case 'Edm.Duration':
      return `duration${quote(text)}`;
    default:
      return text;
  }
}

export function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
