import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

const MIB = 1024 * 1024;

/** Of the memory of the container, or of the machine where that has no limit (cgroups 1 and 2). */
const SHARE_OF_ALL = 0.25;
/** Of what V8 lets its heap grow to. */
const SHARE_OF_HEAP = 0.6;

/** How many MiB of answers fit into memory beside all else that is there. */
export function roomForAnswers(): number {
  const constrained = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  const all = Math.min(constrained, totalmem()) * SHARE_OF_ALL;
  const heap = getHeapStatistics().heap_size_limit * SHARE_OF_HEAP;
  return Math.max(16, Math.floor(Math.min(all, heap) / MIB));
}
