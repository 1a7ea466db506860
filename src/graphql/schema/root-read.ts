import type { GraphQLField } from 'graphql';
import type { EntitySet } from '../../model/edm.ts';

/** What a root field reads: the entities of a set, or one of them by its key. */
export interface RootRead {
  readonly kind: 'list' | 'one';
  readonly set: EntitySet;
}

/** What a root field says of itself in its extensions. */
const READ = 'duogate.read';

export function readOf(read: RootRead): { readonly [READ]: RootRead } {
  return { [READ]: read };
}

export function rootReadOf<Source, Context>({
  extensions,
}: GraphQLField<Source, Context>): RootRead | undefined {
  return extensions[READ] as RootRead | undefined;
}
