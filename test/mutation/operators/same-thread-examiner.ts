import { overlayWithGrants } from '../../../src/project/access/overlay-grants.ts';
import { examineDocument } from '../../../src/project/examination/examine-document.ts';
import type { Examiner } from '../../../src/project/examination/examiner.ts';
import { prepareProject } from '../../../src/project/plan/prepare-project.ts';

/** Takes the place of the thread while coverage is collected, which sees only the thread of the tests. */
export class ThreadExaminer implements Examiner {
  readonly examine: Examiner['examine'] = (texts, name, onStep) => examineDocument(texts, name, onStep);
  readonly grant: Examiner['grant'] = async (texts, rows) => overlayWithGrants(texts, rows).text;
  readonly prepare: Examiner['prepare'] = (place) => prepareProject(place);
  close(): void {}
}
