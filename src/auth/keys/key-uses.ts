import type { AccountsStore } from '../database/accounts-store.ts';
import { API_KEYS } from './api-key-table.ts';

/**
 * When keys were used, as far as the database has not been told yet: it is told of all of them once a minute, so that
 * no request waits for it, and of one key every five minutes at most.
 */
export interface KeyUses {
  /** A key has been used that was used last at that moment, as far as the database knows. */
  note(id: string, known: Date | null): void;
  /** Undefined where the database knows of it. */
  lastOf(id: string): Date | undefined;
  /** Tells the database what there is left to tell. */
  close(): Promise<void>;
}

const TOLD_EVERY_MS = 60_000;
const TOLD_AGAIN_MS = 300_000;
/** Of more keys than these it is not remembered within a minute that they were used. */
const MOST_UNTOLD = 10_000;

export function createKeyUses(store: Pick<AccountsStore, 'update'>): KeyUses {
  const untold = new Map<string, Date>();
  let timer: NodeJS.Timeout | undefined;
  let telling: Promise<void> = Promise.resolve();

  /** What cannot be told is told with the next ones. */
  async function tell(): Promise<void> {
    timer = undefined;
    for (const [id, at] of [...untold]) {
      try {
        await store.update(API_KEYS, { id }, { lastUsedAt: at });
      } catch {
        return;
      }
      if (untold.get(id) === at) untold.delete(id);
    }
  }

  function tellSoon(): void {
    telling = telling.then(tell);
  }

  return {
    note(id, known) {
      const now = new Date();
      if (known !== null && now.getTime() - known.getTime() < TOLD_AGAIN_MS) return;
      if (untold.size < MOST_UNTOLD) untold.set(id, now);
      timer ??= setTimeout(tellSoon, TOLD_EVERY_MS).unref();
    },
    lastOf: (id) => untold.get(id),
    close() {
      clearTimeout(timer);
      tellSoon();
      return telling;
    },
  };
}
