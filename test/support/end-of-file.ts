/** Registers a function that is called at the end. */
export type AtEnd = (stop: () => void | Promise<void>) => void;

const leftovers: (() => void | Promise<void>)[] = [];
const pending: Promise<void>[] = [];

/** For what the tests of a file share: made before them, it is stopped after them. */
export const atEndOfFile: AtEnd = (stop) => void leftovers.unshift(stop);

/** For what a test began and the next one need not wait for. */
export function awaitAtEndOfFile(end: Promise<void>): void {
  pending.push(end);
}

/** Ends what the tests of a file left, the youngest first. */
export async function endFile(): Promise<void> {
  await Promise.all(pending.splice(0));
  for (const stop of leftovers.splice(0)) await stop();
}
