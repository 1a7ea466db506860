import type { Work } from './work.ts';

/** Whoever has worked for long and waits for the next turn, first come, first served. */
const waiting: (() => void)[] = [];

/**
 * Resolves when others have had their turn: what has come in from the network, and those that have waited for longer.
 *
 * One of those who wait goes on after a few rounds of the event loop, however many they are: so the loop is never held
 * for longer than by one of them, and a short request is through after one or two.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resume) => {
    waiting.push(resume);
    if (waiting.length === 1) afterRounds(serve);
  });
}

/** How long somebody works before others go first, in milliseconds. */
export const STRETCH_MS = 5;

/** Carries out work that is nobody's, or everybody's: others go first each time it has taken a while. */
export async function inTurns<Result>(work: Work<Result>): Promise<Result> {
  for (;;) {
    const end = performance.now() + STRETCH_MS;
    do {
      const { done, value } = work.next();
      if (done === true) return value;
    } while (performance.now() < end);
    await nextTurn();
  }
}

function serve(): void {
  waiting.shift()?.();
  if (waiting.length > 0) afterRounds(serve);
}

/** More than a short request takes: it comes in, its upstream is asked, and the answer comes and is sent. */
const ROUNDS = 8;

/** A round in which nobody has anything to do takes some microseconds. */
function afterRounds(go: () => void, rounds = ROUNDS): void {
  setImmediate(() => (rounds > 1 ? afterRounds(go, rounds - 1) : go()));
}
