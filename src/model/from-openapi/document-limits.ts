/** How deep a document may be nested. */
export const DEEPEST_DOCUMENT = 256;

/** Whether a value is nested no deeper than a document may be. Objects that recur are looked at once. */
export function isShallow(document: unknown): boolean {
  const seen = new Set<unknown>();
  let level: readonly unknown[] = [document];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST_DOCUMENT) return false;
    level = level.flatMap((value) => {
      if (typeof value !== 'object' || value === null || seen.has(value)) return [];
      seen.add(value);
      return Object.values(value);
    });
  }
  return true;
}
