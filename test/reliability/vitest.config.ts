import { join } from 'node:path';
import { mergeConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

/**
 * Tests that would exhaust a gateway without limits: one file after the other, because each needs the whole
 * machine.
 */
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
