import type { BoundRoot } from '../scope/reads.ts';
import type { Scope } from '../scope/scope.ts';
import type { NameSegment } from '../tree/expression-tree.ts';

/** The same text at another place reads the same. */
export function dedupeRoot(segment: NameSegment, { roots, aliases }: Scope): BoundRoot | undefined {
  return roots.find(({ read }) => read.aliases === aliases && isSame(read.segment, segment));
}

function isSame(one: NameSegment, other: NameSegment): boolean {
  return one.name === other.name && textOf(one.arguments) === textOf(other.arguments);
}

function textOf(given: NameSegment['arguments']): string | undefined {
  return JSON.stringify(given, (name, value: unknown) => (name === 'position' ? undefined : value));
}
