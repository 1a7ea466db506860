import { createRequire } from 'node:module';
import { defineConfig } from 'vitest/config';

const { resolve } = createRequire(import.meta.url);

export default defineConfig({
  // graphql refuses schemas of its other build: take the one that Node gives to the packages.
  resolve: { alias: { graphql: resolve('graphql') } },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/conformance/**', 'test/clients/**'],
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
