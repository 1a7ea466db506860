/** A local reference without the slash after `#` (RFC 6901, 6): `#components/schemas/Pet`. */
const WITHOUT_SLASH =
  /^#(?=(?:components|definitions|paths|parameters|responses|requestBodies|securityDefinitions)\/)/;

/** Whether a reference lacks its slash. Anchors contain no slash, so the intention is unambiguous. */
export function lacksSlash(reference: string): boolean {
  return WITHOUT_SLASH.test(reference);
}

/** Adds the missing slash to all references of a parsed document. */
export function insertSlashes(document: object): void {
  const seen = new Set<object>([document]);
  const queue: object[] = [document];
  for (let value = queue.pop(); value !== undefined; value = queue.pop()) {
    for (const [name, inner] of Object.entries(value)) {
      if (name === '$ref' && typeof inner === 'string' && lacksSlash(inner)) {
        Object.assign(value, { $ref: inner.replace('#', '#/') });
      } else if (typeof inner === 'object' && inner !== null && !seen.has(inner)) {
        seen.add(inner);
        queue.push(inner);
      }
    }
  }
}
