import { join } from 'node:path';
import { mergeConfig } from 'vitest/config';
import base from '../../../vitest.config.ts';
import { ROOT } from './coverage.ts';
import { sameThreadExaminer } from './same-thread-plugin.ts';

/** All tests, with a record of the lines that each file runs. Those of limits of time may fail, which harms nothing. */
export default mergeConfig(base, {
  root: ROOT,
  plugins: [sameThreadExaminer],
  test: {
    setupFiles: [join(import.meta.dirname, 'coverage.setup.ts')],
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
