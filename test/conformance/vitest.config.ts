import { join } from 'node:path';
import { mergeConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

/**
 * Tests that need the folder `shared` beside the repository: cases of OASIS, real documents, the real posts
 * API.
 */
export default mergeConfig(
  { ...base, test: { ...base.test, include: [], exclude: [] } },
  {
    root: join(import.meta.dirname, '../..'),
    test: { include: ['test/conformance/**/*.test.ts'], maxConcurrency: 3 },
  },
);
