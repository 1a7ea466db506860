import type { StructuredType } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';

/** An entity type or a complex type. */
export interface NamedType extends StructuredType {
  readonly name: string;
}

/** A type and all that are derived from it, of the type's own kind. */
export function familyOf(model: Model, declared: NamedType): readonly NamedType[] {
  const kind: ReadonlyMap<string, NamedType> =
    model.complexTypes.get(declared.name) === declared ? model.complexTypes : model.entityTypes;
  return [declared, ...[...kind.values()].filter((type) => isDerived(kind, type, declared.name))];
}

function isDerived(kind: ReadonlyMap<string, NamedType>, type: NamedType, base: string): boolean {
  const seen = new Set<string>();
  for (let next: NamedType | undefined = type; next?.baseType !== undefined; next = kind.get(next.baseType)) {
    if (next.baseType === base) return true;
    if (seen.has(next.name)) return false;
    seen.add(next.name);
  }
  return false;
}

/** The types of a family by the values that the discriminator has for each. */
export function byDiscriminator(family: readonly NamedType[]): ReadonlyMap<unknown, NamedType> {
  return new Map(
    family.flatMap((type) => {
      const { value, otherValues = [] } = type.discriminator ?? {};
      const values = value === undefined ? otherValues : [value, ...otherValues];
      return values.map((each) => [each, type] as const);
    }),
  );
}
