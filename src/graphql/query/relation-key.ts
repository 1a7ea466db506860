import type { Input } from '../context/questions.ts';
import type { RelatedMember } from '../context/schema-names.ts';

/**
 * The name under which an entity holds what a field has asked for: one for each relation with the same arguments,
 * however often and under whichever names a document asks for it. No property has such a name.
 */
export function relationKey({ kind, navigation, declaredIn }: RelatedMember, args: Input, part = ''): string {
  const given = Object.keys(args).length === 0 ? '' : JSON.stringify(args, exactText);
  return `${kind} ${declaredIn}.${navigation.name} ${part} ${given}`;
}

/** The name under which a row holds what else is asked for by arguments. */
export function partKey(part: string, args: Input = {}): string {
  return `${part} ${JSON.stringify(args, exactText)}`;
}

function exactText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value;
}
