import { describe, expect, it, onTestFinished } from 'vitest';
import { type ExaminerLimits, ThreadExaminer } from '../../src/project/examination/examiner.ts';

const DOCUMENT = 'openapi: 3.1.0\ninfo: { title: T, version: "1" }\npaths: {}\n';

function createExaminer(limits: Partial<ExaminerLimits> = {}): ThreadExaminer {
  const examiner = new ThreadExaminer(limits);
  onTestFinished(() => examiner.close());
  return examiner;
}

describe('the examiner', () => {
  it('examines one document after the other', async () => {
    const examiner = createExaminer();
    const found = await Promise.all(
      [DOCUMENT, 'swagger: "2.0"', DOCUMENT].map((document) => examiner.examine({ document }, 'Api')),
    );
    expect(found.map(({ report }) => report.kind)).toStrictEqual(['openapi-3.1', 'swagger-2', 'openapi-3.1']);
  });

  it('tells what it is at', async () => {
    const steps: string[] = [];
    await createExaminer().examine({ document: DOCUMENT }, 'Api', (step) => steps.push(step));
    expect(steps).toStrictEqual(['waiting', 'reading', 'checking', 'deriving']);
  });

  it('gives up a document that takes too long, and goes on with the next one', async () => {
    const examiner = createExaminer({ documentMs: 1 });
    const examined = [
      examiner.examine({ document: DOCUMENT }, 'A'),
      examiner.examine({ document: DOCUMENT }, 'B'),
    ];
    for (const each of await Promise.allSettled(examined)) {
      expect(each).toMatchObject({
        status: 'rejected',
        reason: { code: 'Overloaded', target: 'document', limit: 'EXAMINATION_MS' },
      });
    }
  });

  it('starts again after it has had nothing to do', async () => {
    const examiner = createExaminer({ idleMs: 0 });
    await examiner.examine({ document: 'x' }, 'A');
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect((await examiner.examine({ document: 'y' }, 'B')).report.kind).toBe('not-openapi');
  });

  it('has no more than so many wait', async () => {
    const examiner = createExaminer({ queueLength: 1 });
    const first = [examiner.examine({ document: 'x' }, 'A'), examiner.examine({ document: 'y' }, 'B')];
    await expect(async () => examiner.examine({ document: 'z' }, 'C')).rejects.toMatchObject({
      code: 'Overloaded',
    });
    await Promise.all(first);
  });

  it('is closed in the middle of it', async () => {
    const examiner = createExaminer();
    const examined = [
      examiner.examine({ document: DOCUMENT }, 'A'),
      examiner.examine({ document: DOCUMENT }, 'B'),
    ];
    const settled = Promise.allSettled(examined);
    examiner.close();
    expect((await settled).map(({ status }) => status)).toStrictEqual(['rejected', 'rejected']);
  });
});
