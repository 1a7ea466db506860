import { foldedName } from '../../model/names.ts';

/** A part of the model, and its name in the document. */
interface Renamed {
  readonly name: string;
  readonly upstreamName: string;
}

/**
 * The part that a word of `x-odata` names: by the document's own name, in any style, before the name that the part has in
 * the model, which may be another one's in the document.
 */
export function partNamed<Part extends Renamed>(parts: readonly Part[], wanted: string): Part | undefined {
  const folded = foldedName(wanted);
  return (
    parts.find(({ upstreamName }) => upstreamName === wanted) ??
    parts.find(({ upstreamName }) => foldedName(upstreamName) === folded) ??
    parts.find(({ name }) => name === wanted) ??
    parts.find(({ name }) => foldedName(name) === folded)
  );
}
