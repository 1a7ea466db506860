import { nextTurn, STRETCH_MS } from '../../contract/turns.ts';

/**
 * The results of all calls, in the order of the items; no more than so many calls are under way at a time. Calls that
 * wait for nothing do not keep others from being served, however many they are.
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
  const work = async (): Promise<void> => {
    for (const [index, item] of rest) {
      results[index] = await call(item);
      if (performance.now() - turn < STRETCH_MS) continue;
      await nextTurn();
      turn = performance.now();
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  return results;
}
