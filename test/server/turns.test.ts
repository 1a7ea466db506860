import { expect, it } from 'vitest';
import type { Work } from '../../src/core/work.ts';
import { budget } from '../support/budget.ts';

const REQUESTS = 20;
const STEPS = 10;
const STEP_MS = 2;

/** Steps that take a while each. They are counted in the round of the event loop that they are made in. */
function* longWork(count: () => void): Work<void> {
  for (let step = 0; step < STEPS; step += 1) {
    const end = performance.now() + STEP_MS;
    while (performance.now() < end);
    count();
    yield;
  }
}

it('many requests that are long in the making hold the event loop no longer than one of them', async () => {
  const rounds: number[] = [];
  let isWatched = true;
  const watch = (): void => {
    rounds.push(0);
    if (isWatched) setImmediate(watch);
  };
  watch();
  const count = (): void => {
    rounds[rounds.length - 1] = (rounds.at(-1) ?? 0) + 1;
  };
  await Promise.all(Array.from({ length: REQUESTS }, () => budget().run(longWork(count))));
  isWatched = false;
  expect(rounds.reduce((sum, steps) => sum + steps, 0)).toBe(REQUESTS * STEPS);
  // In one round those that begin have their time before the timers, and those that have waited theirs behind them.
  expect(Math.max(...rounds)).toBeLessThanOrEqual(4);
});
