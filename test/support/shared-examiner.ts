import { type Examiner, ThreadExaminer } from '../../src/project/examination/examiner.ts';

/** The thread that examines documents for all gateways of the test files that a worker runs: it takes long to load. */
const thread = new ThreadExaminer();

/** It outlives the gateways. */
export const sharedExaminer: Examiner = {
  examine: (texts, name, onStep) => thread.examine(texts, name, onStep),
  grant: (texts, rows) => thread.grant(texts, rows),
  prepare: (place) => thread.prepare(place),
  close: () => undefined,
};
