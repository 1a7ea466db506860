/** How deep a document may be nested. */
export const DEEPEST_DOCUMENT = 256;

/** What is known of documents: several readers of one ask. */
const KNOWN = new WeakMap<object, boolean>();

/** Whether a value is nested no deeper than a document may be. Objects that recur are looked at once. */
export function isShallow(document: object): boolean {
  const known = KNOWN.get(document) ?? measure(document);
  KNOWN.set(document, known);
  return known;
}

function measure(document: object): boolean {
  const seen = new Set<unknown>();
  let level: readonly object[] = [document];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST_DOCUMENT) return false;
    const below: object[] = [];
    for (const container of level) {
      for (const value of Object.values(container)) {
        if (typeof value !== 'object' || value === null || seen.has(value)) continue;
        seen.add(value);
        below.push(value);
      }
    }
    level = below;
  }
  return true;
}
