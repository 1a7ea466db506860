import { type Examiner, ThreadExaminer } from '../../src/project/examination/examiner.ts';

/** The thread that examines documents for all gateways of the test files that a worker runs: it takes long to load. */
const thread = new ThreadExaminer();

/** Shared by all gateways of a test file, which may not close it. */
export const sharedExaminer: Examiner = {
  examine: (texts, name, onStep) => thread.examine(texts, name, onStep),
  grant: (texts, rows) => thread.grant(texts, rows),
  relate: (texts, name, decisions) => thread.relate(texts, name, decisions),
  improve: (texts, order) => thread.improve(texts, order),
  allowAges: (texts, ages) => thread.allowAges(texts, ages),
  prepare: (place) => thread.prepare(place),
  close: () => undefined,
};
