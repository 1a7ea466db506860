import { GatewayError } from '../../../src/contract/gateway-error.ts';
import { DocumentMistake } from '../../../src/openapi/parse/document-mistake.ts';
import { overlayWithGrants } from '../../../src/project/access/overlay-grants.ts';
import { overlayWithMaxAges } from '../../../src/project/access/overlay-max-ages.ts';
import { examineDocument } from '../../../src/project/examination/examine-document.ts';
import type { Examiner } from '../../../src/project/examination/examiner.ts';
import { improveDocument } from '../../../src/project/examination/improve.ts';
import { overlayWithReferences } from '../../../src/project/overlay/overlay-references.ts';
import { prepareProject } from '../../../src/project/plan/prepare-project.ts';

async function refusing<Result>(work: () => Result): Promise<Result> {
  try {
    return work();
  } catch (error) {
    throw error instanceof DocumentMistake ? new GatewayError('BadRequest', error.message) : error;
  }
}

/** Takes the place of the thread while coverage is collected, which sees only the thread of the tests. */
export class ThreadExaminer implements Examiner {
  readonly examine: Examiner['examine'] = (texts, name, onStep) => examineDocument(texts, name, onStep);
  readonly grant: Examiner['grant'] = (texts, rows) => refusing(() => overlayWithGrants(texts, rows).text);
  readonly relate: Examiner['relate'] = (texts, name, decisions) =>
    refusing(() => overlayWithReferences(texts, name, decisions));
  readonly improve: Examiner['improve'] = (texts, order) => refusing(() => improveDocument(texts, order));
  readonly allowAges: Examiner['allowAges'] = (texts, ages) =>
    refusing(() => overlayWithMaxAges(texts, ages));
  readonly prepare: Examiner['prepare'] = (place) => prepareProject(place);
  close(): void {}
}
