/** How long work goes on in one round of the event loop, whoever's it is, in milliseconds. */
export const STRETCH_MS = 3;
/** More rounds than a short request takes: it comes in, its upstream is asked, and the answer comes and is sent. */
const ROUNDS = 8;

/** Whoever has worked for long and waits for the next turn, first come, first served. */
const waiting: (() => void)[] = [];
/** Whoever begins and has found that others have used this round up. */
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

/** Resolves when a round has time for whoever begins: soon, since those that have worked for long go behind. */
export function firstTurn(): Promise<void> {
  return inQueue(beginning);
}

function inQueue(queue: (() => void)[]): Promise<void> {
  return new Promise((resume) => {
    queue.push(resume);
    countRounds();
  });
}

/** A round in which nobody has anything to do takes some microseconds. */
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

/** What one does that has been resumed is done before the next is looked at. */
function letBegin(): void {
  if (!hasTime()) return;
  const resume = beginning.shift();
  if (resume === undefined) return;
  resume();
  queueMicrotask(letBegin);
}
