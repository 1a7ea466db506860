import { foldedName, words } from '../../model/names.ts';

/** Names of properties that identify entities, the likeliest first; among them those of RFC 8141 (URN) and RFC 7517 (`kid`). */
export const IDENTIFIERS: readonly string[] = [
  ...['id', 'uuid', 'guid', 'sid', 'gid', 'uid', 'pk', 'identifier', 'urn', 'kid'],
];

/** Whether a name says that something is identified, and nothing of what it is. */
export function isIdentifier(name: string): boolean {
  return IDENTIFIERS.includes(foldedName(name));
}

/** Whether the last word of a name says that something is identified. */
export function identifiesAny(name: string): boolean {
  return isIdentifier(words(name).at(-1) ?? '');
}
