/** A JSON object of a CSDL document: members by name. */
export type CsdlNode = Readonly<Record<string, unknown>>;

export function nodeOf(value: unknown): CsdlNode {
  return typeof value === 'object' && value !== null ? (value as CsdlNode) : {};
}

/** The members that are no control information and no annotation (CSDL JSON 4.01, 2.1). */
export function members(node: CsdlNode): readonly (readonly [string, CsdlNode])[] {
  return Object.entries(node)
    .filter(([name]) => !name.includes('$') && !name.includes('@'))
    .map(([name, member]) => [name, nodeOf(member)] as const);
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

export function simpleName(qualified: string): string {
  return qualified.slice(qualified.lastIndexOf('.') + 1);
}

/** `UserId` → `User Id`, `ISBNCode` → `ISBN Code`. */
export function labelOf(name: string): string {
  return name.replace(/([\p{Ll}\d])(\p{Lu})|(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1$3 $2$4').replaceAll('_', ' ');
}
