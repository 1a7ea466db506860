import { DEEPEST_DOCUMENT } from '../model/from-openapi/document/document-limits.ts';

export const TOO_DEEP = `The document is nested deeper than ${DEEPEST_DOCUMENT} levels.`;

/**
 * What to say where a document is nested too deeply, or contains itself: YAML's aliases can do both.
 *
 * An object that stands at several places is measured once.
 */
export function whyNotNested(document: unknown): string | undefined {
  const heights = new Map<object, Height>();
  const height = measure(document, 0, heights);
  if (height === 'circular') return 'An alias in it stands for what the alias itself is part of.';
  return height > DEEPEST_DOCUMENT ? TOO_DEEP : undefined;
}

type Height = number | 'circular';

/** How many levels are in a value: 0 for a scalar. It looks no deeper than a little beyond what is allowed. */
function measure(value: unknown, depth: number, heights: Map<object, Height>): Height {
  if (typeof value !== 'object' || value === null || depth > DEEPEST_DOCUMENT) return 0;
  const known = heights.get(value);
  if (known !== undefined) return known;
  // Who meets it before it has its height is inside of it.
  heights.set(value, 'circular');
  let height = 0;
  for (const inner of Object.values(value)) {
    const below = measure(inner, depth + 1, heights);
    if (below === 'circular') return 'circular';
    height = Math.max(height, below);
  }
  heights.set(value, height + 1);
  return height + 1;
}
