/** Time for the work of all requests per round of the event loop, in milliseconds. */
const STRETCH_MS = 3;
/** More rounds than a short request takes from its arrival to its response. */
const ROUNDS = 8;

/** Long-running work that waits for its next turn, in order. */
const waiting: (() => void)[] = [];
/** New work that came when the time of the round was used up. */
const beginning: (() => void)[] = [];
/** Milliseconds worked in this round. */
let worked = 0;
/** Rounds until the next waiting work resumes. */
let roundsLeft = ROUNDS;
let isCounting = false;

export function hasTime(): boolean {
  return worked < STRETCH_MS;
}

/** Counts milliseconds of work in this round. */
export function spend(milliseconds: number): void {
  worked += milliseconds;
  countRounds();
}

/**
 * Resolves when others had their turn: network events, and work that has waited for longer.
 *
 * One piece of waiting work resumes every few rounds of the event loop, so a short request is served after
 * one or two pieces.
 */
export function nextTurn(): Promise<void> {
  return inQueue(waiting);
}

/** Resolves when a round has time for new work, which takes precedence over long-running work. */
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

/** New work begins only after resumed work has finished its stretch. */
function letBegin(): void {
  if (!hasTime()) return;
  const resume = beginning.shift();
  if (resume === undefined) return;
  resume();
  queueMicrotask(letBegin);
}

/**
 * Work that may take long: it yields where other requests may run; its caller decides whether they do.
 *
 * It must not leave anything in shared state while it waits: see {@link within}.
 */
export type Work<Result> = Generator<void, Result, void>;

/** Decides at each step of a loop whether to yield. Called for every row, so it must be cheap. */
export interface Pace {
  isDue(): boolean;
}

/** Yields every `steps` iterations. */
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

/** Runs work to its end at once, for callers that cannot wait. */
export function finished<Result>(work: Work<Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** Runs work that needs state to be set: sets it before each stretch, and clears it afterwards. */
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

/** Maps the items, and yields at each point that the pace requires. */
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

/** All rows in an array, for repeated or indexed access. */
export function* rowsAtOnce<Row>(rows: Iterable<Row>, pace: Pace): Work<readonly Row[]> {
  return Array.isArray(rows) ? rows : yield* mapped(rows, pace, (row) => row);
}

/** The items grouped by key, in their order. */
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

/** Wraps a short computation as work. */
export function* atOnce<Result>(compute: () => Result): Work<Result> {
  yield* NO_WAITING;
  return compute();
}

/** Runs work that belongs to no request, in stretches. */
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

/** Maximum number of concurrent calls of one request, because other requests call the upstream, too. */
export const CONCURRENT_CALLS = 8;

/**
 * Calls a function for each item, a limited number at a time, and returns the results in order. After a
 * failure, no further call starts. Synchronous calls yield to other work.
 */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  limit: number,
  call: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = new Array(items.length);
  // All workers share one iterator, so that each item is taken once.
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
