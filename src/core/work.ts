/** Work of all requests in one round of the event loop, in milliseconds. */
const STRETCH_MS = 3;
/** More rounds than a short request takes: it comes in, its upstream is asked, and the answer comes and is sent. */
const ROUNDS = 8;

/** Long-running work that waits for its next turn, first come, first served. */
const waiting: (() => void)[] = [];
/** New work that found this round used up. */
const beginning: (() => void)[] = [];
/** Milliseconds that have been worked in this round. */
let worked = 0;
/** Rounds until one of those who wait goes on. */
let roundsLeft = ROUNDS;
let isCounting = false;

/** Whether this round has time left for work. */
export function hasTime(): boolean {
  return worked < STRETCH_MS;
}

/** Counts milliseconds of work towards those of this round. */
export function spend(milliseconds: number): void {
  worked += milliseconds;
  countRounds();
}

/**
 * Resolves when others have had their turn: what has come in from the network, and those that have waited for longer.
 *
 * One of those who wait goes on after a few rounds of the event loop, however many they are: so the loop is never held
 * for longer than by one of them, and a short request is through after one or two.
 */
export function nextTurn(): Promise<void> {
  return inQueue(waiting);
}

/** Resolves when a round has time for new work: soon, since long-running work goes behind it. */
export function firstTurn(): Promise<void> {
  return inQueue(beginning);
}

function inQueue(queue: (() => void)[]): Promise<void> {
  return new Promise((resume) => {
    queue.push(resume);
    countRounds();
  });
}

/** Counts the rounds of the event loop while work is waiting; an idle round takes some microseconds. */
function countRounds(): void {
  if (isCounting) return;
  isCounting = true;
  setImmediate(beginRound);
}

function beginRound(): void {
  isCounting = false;
  worked = 0;
  roundsLeft = waiting.length === 0 ? ROUNDS : roundsLeft - 1;
  if (roundsLeft > 0) letBegin();
  else {
    roundsLeft = ROUNDS;
    waiting.shift()?.();
  }
  if (waiting.length > 0 || beginning.length > 0) countRounds();
}

/** Work that was resumed finishes its stretch before the next is resumed. */
function letBegin(): void {
  if (!hasTime()) return;
  const resume = beginning.shift();
  if (resume === undefined) return;
  resume();
  queueMicrotask(letBegin);
}

/**
 * Work that may take long: it yields where other requests may go first; its caller decides if they do.
 *
 * Nothing that it has put into shared places may stay there while it waits: see {@link within}.
 */
export type Work<Result> = Generator<void, Result, void>;

/** Says at each step of a loop whether it is time to yield. It is asked for every row and costs next to nothing. */
export interface Pace {
  isDue(): boolean;
}

/** A pace that yields each time so many steps have been made. */
export function everyFew(steps: number): Pace {
  let left = steps;
  return {
    isDue() {
      left -= 1;
      if (left > 0) return false;
      left = steps;
      return true;
    },
  };
}

/** Carries work out at once, where it is within something that cannot wait. */
export function finished<Result>(work: Work<Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** Work that needs a place to be set while it runs: it is set before each stretch of it, and cleared behind it. */
export function* within<Result>(
  enter: () => void,
  leave: () => void,
  begin: () => Work<Result>,
): Work<Result> {
  let work: Work<Result> | undefined;
  for (;;) {
    enter();
    let step: IteratorResult<void, Result>;
    try {
      work ??= begin();
      step = work.next();
    } finally {
      leave();
    }
    if (step.done === true) return step.value;
    yield;
  }
}

/** Maps the items, yielding where the pace is due. */
export function* mapped<Item, Result>(
  items: Iterable<Item>,
  pace: Pace,
  map: (item: Item, index: number) => Result,
): Work<readonly Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    results.push(map(item, results.length));
    if (pace.isDue()) yield;
  }
  return results;
}

/** All of the rows at once, for what goes through them more than once or looks at some by their place. */
export function* rowsAtOnce<Row>(rows: Iterable<Row>, pace: Pace): Work<readonly Row[]> {
  return Array.isArray(rows) ? rows : yield* mapped(rows, pace, (row) => row);
}

/** The items by their keys, in their order. */
export function* groupedBy<Item, Key>(
  items: Iterable<Item>,
  pace: Pace,
  keyOf: (item: Item) => Key,
): Work<ReadonlyMap<Key, readonly Item[]>> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
    if (pace.isDue()) yield;
  }
  return groups;
}

const NO_WAITING: readonly undefined[] = [];

/** Wraps a computation that takes no time as work. */
export function* atOnce<Result>(compute: () => Result): Work<Result> {
  yield* NO_WAITING;
  return compute();
}

/** Carries out work that belongs to no request, in stretches between which other work goes first. */
export async function inTurns<Result>(work: Work<Result>): Promise<Result> {
  if (!hasTime()) await firstTurn();
  for (;;) {
    do {
      const start = performance.now();
      const { done, value } = work.next();
      spend(performance.now() - start);
      if (done === true) return value;
    } while (hasTime());
    await nextTurn();
  }
}

/** Maximum number of concurrent calls of one request: other requests call the upstream, too. */
export const CONCURRENT_CALLS = 8;

/**
 * The results of all calls, in the order of the items; no more than so many calls are under way at a time, and
 * none is begun after one has failed. Calls that wait for nothing do not keep others from being served, however many
 * they are.
 */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  limit: number,
  call: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = new Array(items.length);
  // One iterator for all workers: each takes what no other has taken.
  const rest = items.entries();
  let turn = performance.now();
  let hasFailed = false;
  const work = async (): Promise<void> => {
    for (const [index, item] of rest) {
      if (hasFailed) return;
      results[index] = await call(item);
      if (performance.now() - turn < STRETCH_MS) continue;
      await nextTurn();
      turn = performance.now();
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  } catch (error) {
    hasFailed = true;
    throw error;
  }
  return results;
}
