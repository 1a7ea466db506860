import type { StructuredType } from '../../model/edm.ts';

/** The types of a family by the values that the discriminator has for each. */
export function byDiscriminator(family: readonly StructuredType[]): ReadonlyMap<unknown, StructuredType> {
  return new Map(
    family.flatMap((type) => {
      const { value, otherValues = [] } = type.discriminator ?? {};
      const values = value === undefined ? otherValues : [value, ...otherValues];
      return values.map((each) => [each, type] as const);
    }),
  );
}
