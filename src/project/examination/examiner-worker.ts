import { enableCompileCache } from 'node:module';
import { parentPort } from 'node:worker_threads';
import type { ExaminationOrder, ExaminationOutcome } from './examiner.ts';

// A thread has no part in the cache of who started it: what one has compiled, the next one finds compiled.
enableCompileCache();
const { examineDocument } = await import('./examine-document.ts');

/** Examines documents in a thread of its own, one after the other. */
parentPort?.on('message', async (order: ExaminationOrder) => {
  parentPort?.postMessage(await outcomeOf(order));
});

async function outcomeOf({ number, texts, name }: ExaminationOrder): Promise<ExaminationOutcome> {
  try {
    return { number, examination: await examineDocument(texts, name) };
  } catch (error) {
    return { number, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
