import { afterEach, beforeEach, it } from 'vitest';

/** Read by the switches in the sources. */
const shared = globalThis as { chosenMutant?: number; foundMutants?: Set<number> };

/** Puts the mutant into effect for one test file; after the first test that fails, no other one is run. */
export async function tryTests(mutant: number, load: () => Promise<unknown>): Promise<void> {
  shared.foundMutants ??= new Set();
  const found = shared.foundMutants;
  shared.chosenMutant = mutant;
  if (found.has(mutant)) {
    it.skip('has been found by another file');
    return;
  }
  beforeEach(({ skip }) => {
    if (found.has(mutant)) skip();
  });
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') found.add(mutant);
  });
  await load();
}
