import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const { resolve } = createRequire(import.meta.url);

/** Minutes are few where the browser is slowed down: see docs/testing.md. */
const TIMEOUT_MS = 60_000 * Number(process.env['SLOW_BROWSER'] ?? 1);

export default defineConfig({
  // graphql refuses schemas of its other build: take the one that Node gives to the packages.
  resolve: { alias: { graphql: resolve('graphql') } },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [
      '**/node_modules/**',
      'test/conformance/**',
      'test/clients/**',
      'test/package/**',
      'test/reliability/**',
    ],
    // A browser, a process and a compiler take their time where other tests run beside them.
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
    // What a page or a process shows is there when it is: what is waited for has the time that a page has.
    expect: { poll: { timeout: TIMEOUT_MS / 3, interval: 20 } },
    // A machine that checks a submission may stall for longer than any deadline: the log shows what needed a second try.
    retry: process.env['CI'] === undefined ? 0 : 1,
    // Most of a file's time would be the loading of Mesh: files that a worker runs share their modules.
    isolate: false,
    // One more than there are processors: much of the time they wait for a browser, a process or a deadline.
    maxWorkers: availableParallelism() + 1,
    // As `npm start` has it: young objects are many, and are collected less often.
    execArgv: ['--max-semi-space-size=32'],
    setupFiles: [join(import.meta.dirname, 'test/support/each-file.setup.ts')],
  },
});
