import { join } from 'node:path';
import { mergeConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

/** What ends a gateway that is not held to its bounds: one file after the other, as each would have the machine. */
export default mergeConfig(
  { ...base, test: { ...base.test, include: [], exclude: [] } },
  {
    root: join(import.meta.dirname, '../..'),
    test: {
      include: ['test/reliability/**/*.test.ts'],
      globalSetup: join(import.meta.dirname, 'bundle.setup.ts'),
      fileParallelism: false,
      testTimeout: 120_000,
    },
  },
);
