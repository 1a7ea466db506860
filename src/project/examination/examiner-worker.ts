import { parentPort } from 'node:worker_threads';
import { enableCompileCache } from '../../node-version.ts';
import type { ExaminationOrder, ExaminationOutcome, ExaminerWork, Found } from './examiner.ts';

// A thread has no part in the cache of who started it: what one has compiled, the next one finds compiled.
enableCompileCache();
const { examineDocument } = await import('./examine-document.ts');
const { prepareProject } = await import('../prepare-project.ts');
const { sealState } = await import('./sealed-state.ts');

/** Examines documents in a thread of its own, one after the other. */
parentPort?.on('message', async ({ number, work }: ExaminationOrder) => {
  parentPort?.postMessage(await outcomeOf(number, work));
});

async function outcomeOf(number: number, work: ExaminerWork): Promise<ExaminationOutcome> {
  try {
    return { number, found: await done(work) };
  } catch (error) {
    return { number, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

async function done(work: ExaminerWork): Promise<Found> {
  return work.kind === 'document'
    ? { kind: 'document', examination: await examineDocument(work.texts, work.name) }
    : { kind: 'project', state: sealState(await prepareProject(work.place)) };
}
