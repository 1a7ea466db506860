import { setFlagsFromString } from 'node:v8';

/** The release line that the scripts and the image run on: V8 reports a flag that it does not know at every start. */
const RELEASE_LINE = 'v24.';

/**
 * Lets bodies take memory as the heap does, in proportion to what is alive. Takes effect at once.
 *
 * V8 would else collect all of the heap whenever 64 MB of bodies have come: a heap that holds the mesh is then
 * marked after every eighth answer of some MB, which takes longer than the work on them. What is freed later
 * costs memory, yet not beyond the limit of the heap (--max-old-space-size).
 */
export function countBodiesWithHeap(): void {
  if (process.version.startsWith(RELEASE_LINE)) {
    setFlagsFromString('--external-memory-accounted-in-global-limit');
  }
}
