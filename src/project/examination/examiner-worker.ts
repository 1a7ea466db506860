import { parentPort } from 'node:worker_threads';
import { GatewayError } from '../../contract/gateway-error.ts';
import { enableCompileCache } from '../../node-version.ts';
import { DocumentMistake } from '../../openapi/parse/document-mistake.ts';
import type {
  ExaminationOrder,
  ExaminationOutcome,
  ExaminationProgress,
  ExaminerWork,
  Found,
} from './examiner.ts';

// Worker threads do not inherit the compile cache. It makes the next thread start faster.
enableCompileCache();
const { examineDocument } = await import('./examine-document.ts');
const { improveDocument } = await import('./improve.ts');
const { overlayWithGrants } = await import('../access/overlay-grants.ts');
const { overlayWithReferences } = await import('../overlay/overlay-references.ts');
const { overlayWithMaxAges } = await import('../access/overlay-max-ages.ts');
const { prepareProject } = await import('../plan/prepare-project.ts');
const { sealState } = await import('./sealed-state.ts');

/** Analyzes documents in a worker thread, one after the other. */
parentPort?.on('message', async ({ number, work }: ExaminationOrder) => {
  parentPort?.postMessage(await outcomeOf(number, work));
});

async function outcomeOf(number: number, work: ExaminerWork): Promise<ExaminationOutcome> {
  try {
    return { number, found: await done(number, work) };
  } catch (error) {
    return { number, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

async function done(number: number, work: ExaminerWork): Promise<Found> {
  switch (work.kind) {
    case 'document':
      return {
        kind: 'document',
        examination: await examineDocument(work.texts, work.name, (step) => tell({ number, step })),
      };
    case 'grants':
      return overlay(() => overlayWithGrants(work.texts, work.rows).text);
    case 'references':
      return overlay(() => overlayWithReferences(work.texts, work.name, work.decisions));
    case 'improvement':
      return refusable(() => ({ kind: 'improvement', answer: improveDocument(work.texts, work.order) }));
    case 'maxAges':
      return overlay(() => overlayWithMaxAges(work.texts, work.ages));
    case 'project':
      return { kind: 'project', state: sealState(await prepareProject(work.place)) };
  }
}

function tell(message: ExaminationProgress): void {
  parentPort?.postMessage(message);
}

function overlay(write: () => string): Found {
  return refusable(() => ({ kind: 'overlay', overlay: write() }));
}

/** Errors lose their class when they are sent to another thread. */
function refusable(find: () => Found): Found {
  try {
    return find();
  } catch (error) {
    if (error instanceof GatewayError) return { kind: 'refusal', code: error.code, message: error.message };
    if (error instanceof DocumentMistake)
      return { kind: 'refusal', code: 'BadRequest', message: error.message };
    throw error;
  }
}
