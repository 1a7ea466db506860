/** How deep a document may be nested. */
export const DEEPEST_DOCUMENT = 256;

export const TOO_DEEP = `The document is nested deeper than ${DEEPEST_DOCUMENT} levels.`;

/** The largest public documents have a million values. */
const MOST_VALUES = 5_000_000;

/** How far a value reaches: how many levels are in it, 0 for a scalar, and how many values where all are written out. */
interface Extent {
  readonly height: number;
  readonly values: number;
}

/** What is known of objects that do not change any more. */
export type Extents = WeakMap<object, Extent | 'circular'>;

/**
 * What to say where a document is nested too deeply, or contains itself: YAML's aliases can do both.
 *
 * An object that stands at several places is measured once.
 */
export function validateNesting(document: unknown): string | undefined {
  return validateDepth(measure(document, 0, new WeakMap()));
}

function validateDepth(extent: Extent | 'circular'): string | undefined {
  if (extent === 'circular') return 'One of its aliases stands for a value that contains the alias itself.';
  return extent.height > DEEPEST_DOCUMENT ? TOO_DEEP : undefined;
}

/**
 * Why a document cannot be read: it is nested too deeply, goes in circles, or has objects at more places than
 * anybody could go through.
 */
export function validateExtent(document: unknown, known: Extents = new WeakMap()): string | undefined {
  const extent = measure(document, 0, known);
  if (extent === 'circular' || extent.values <= MOST_VALUES) return validateDepth(extent);
  return `The document has more than ${MOST_VALUES} values.`;
}

const SCALAR: Extent = { height: 0, values: 1 };

/** Measures how deep a value is nested, and looks no deeper than a little beyond what is allowed. */
function measure(value: unknown, depth: number, known: Extents): Extent | 'circular' {
  if (typeof value !== 'object' || value === null || depth > DEEPEST_DOCUMENT) return SCALAR;
  const extent = known.get(value);
  if (extent !== undefined) return extent;
  // Who meets it before it has its extent is inside of it.
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

/** What is known of documents: several readers of one ask. */
const KNOWN = new WeakMap<object, boolean>();

/** Whether a value is nested no deeper than a document may be. Objects that recur are looked at once. */
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
