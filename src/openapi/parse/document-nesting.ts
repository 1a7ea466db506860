/** Maximum nesting of a document. */
export const DEEPEST_DOCUMENT = 256;

export const TOO_DEEP = `The document is nested deeper than ${DEEPEST_DOCUMENT} levels.`;

/** Several times the size of the largest public documents. */
const MOST_VALUES = 5_000_000;

/** The size of a value: its nested levels, 0 for a scalar, and its number of values with aliases expanded. */
interface Extent {
  readonly height: number;
  readonly values: number;
}

/** The cached sizes of objects that do not change any more. */
export type Extents = WeakMap<object, Extent | 'circular'>;

/**
 * The mistake of a document that is nested too deeply or contains itself, as YAML aliases allow.
 *
 * Shared objects are measured once.
 */
export function validateNesting(document: unknown): string | undefined {
  return validateDepth(measure(document, 0, new WeakMap()));
}

function validateDepth(extent: Extent | 'circular'): string | undefined {
  if (extent === 'circular') return 'One of its aliases stands for a value that contains the alias itself.';
  return extent.height > DEEPEST_DOCUMENT ? TOO_DEEP : undefined;
}

/**
 * The mistake of a document that is nested too deeply, is circular, or has too many values with aliases
 * expanded.
 */
export function validateExtent(document: unknown, known: Extents = new WeakMap()): string | undefined {
  const extent = measure(document, 0, known);
  if (extent === 'circular' || extent.values <= MOST_VALUES) return validateDepth(extent);
  return `The document has more than ${MOST_VALUES} values.`;
}

const SCALAR: Extent = { height: 0, values: 1 };

/** Measures a value, to slightly more than the maximum depth. */
function measure(value: unknown, depth: number, known: Extents): Extent | 'circular' {
  if (typeof value !== 'object' || value === null || depth > DEEPEST_DOCUMENT) return SCALAR;
  const extent = known.get(value);
  if (extent !== undefined) return extent;
  // An object that is reached again before it is measured contains itself.
  known.set(value, 'circular');
  let [height, values] = [0, 1];
  for (const inner of Object.values(value)) {
    const below = measure(inner, depth + 1, known);
    if (below === 'circular') return 'circular';
    height = Math.max(height, below.height);
    values += below.values;
  }
  const measured = { height: height + 1, values };
  known.set(value, measured);
  return measured;
}

/** Cached results, because a document is checked repeatedly. */
const KNOWN = new WeakMap<object, boolean>();

/** Whether the nesting of a document is within the limit. Shared objects are checked once. */
export function isShallow(document: object): boolean {
  const known = KNOWN.get(document) ?? isNoDeeper(document);
  KNOWN.set(document, known);
  return known;
}

function isNoDeeper(document: object): boolean {
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
