import { foldedName, words } from '../../model/names.ts';

/** Names of properties that identify entities, the likeliest first; among them those of RFC 8141 (URN) and RFC 7517 (`kid`). */
export const IDENTIFIERS: readonly string[] = [
  ...['id', 'uuid', 'guid', 'sid', 'gid', 'uid', 'pk', 'identifier', 'urn', 'kid'],
];

/** Whether a name consists only of words for identifiers. */
export function isIdentifier(name: string): boolean {
  return IDENTIFIERS.includes(foldedName(name));
}

/** Words behind `id` that say something of an identifier, and not of what it is. */
export const ABOUT_IDENTIFIER = /^(?:type|token|card|kind|format|list|str|count|status|prefix)$/i;

/** Whether a name denotes an identifier: by its last word, or by its first one, as in `id_cliente`. */
export function identifiesAny(name: string): boolean {
  const [first = '', second, ...others] = words(name);
  if (isIdentifier([second, ...others].at(-1) ?? first)) return true;
  return /^(?:id|uuid|guid)$/i.test(first) && second !== undefined && !ABOUT_IDENTIFIER.test(second);
}
