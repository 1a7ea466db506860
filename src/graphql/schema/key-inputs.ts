import { type GraphQLFieldConfigArgumentMap, GraphQLNonNull } from 'graphql';
import type { KeyArgument } from '../change/change-place.ts';
import type { ScalarFor } from './value-types.ts';

/** The parts of keys, by the names of the fields that show them. */
export function keyInputs(
  { scalarFor }: { readonly scalarFor: ScalarFor },
  keys: readonly KeyArgument[],
): GraphQLFieldConfigArgumentMap {
  return Object.fromEntries(
    keys.map(({ argument, type, property }) => {
      const use =
        type.structuralProperties.get(property)?.type ?? ({ kind: 'primitive', name: 'Edm.String' } as const);
      return [argument, { type: new GraphQLNonNull(scalarFor(use, true)) }];
    }),
  );
}
