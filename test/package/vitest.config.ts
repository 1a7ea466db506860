import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.test.ts'],
    // Packages are installed from a registry.
    testTimeout: 120_000,
    hookTimeout: 600_000,
  },
});
