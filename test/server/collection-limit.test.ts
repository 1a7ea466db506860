import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);

/** Holds a heap of some size, has bodies come and go, and says how often all of the heap was collected for them. */
const PROGRAM = `
  import { PerformanceObserver, constants } from 'node:perf_hooks';
  import { countBodiesWithHeap } from '${new URL('../../src/server/server-limits.ts', import.meta.url)}';
  if (process.argv[1] === 'counted') countBodiesWithHeap();
  const alive = Array.from({ length: 400_000 }, (_, index) => ({ index, text: 'text ' + index }));
  let full = 0;
  new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries()) if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) full += 1;
  }).observe({ entryTypes: ['gc'] });
  for (let body = 0; body < 400; body += 1) {
    Buffer.alloc(4 * 1024 * 1024);
    await new Promise(setImmediate);
  }
  await new Promise((resolve) => setTimeout(resolve, 50));
  console.log(alive.length === 400_000 ? full : Number.NaN);
`;

async function fullCollections(mode: 'counted' | 'apart'): Promise<number> {
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', PROGRAM, mode]);
  return Number(stdout);
}

describe('countBodiesWithHeap', () => {
  it('has all of the heap collected less often for bodies that come and go', async () => {
    const [apart, counted] = [await fullCollections('apart'), await fullCollections('counted')];
    expect(apart).toBeGreaterThan(5);
    expect(counted).toBeLessThan(apart / 2);
  });
});
