import { join } from 'node:path';

const EXAMINER = /\/examiner\.ts$/;
const USERS = /\/(?:src\/app|test\/support\/shared-examiner)\.ts$/;

/** Has documents examined in the thread of the tests, where coverage and mutants are. */
export const sameThreadExaminer = {
  name: 'same-thread-examiner',
  enforce: 'pre' as const,
  resolveId: (id: string, importer?: string): string | undefined =>
    EXAMINER.test(id) && USERS.test(importer ?? '')
      ? join(import.meta.dirname, 'same-thread-examiner.ts')
      : undefined,
};
