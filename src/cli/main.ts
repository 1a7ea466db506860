#!/usr/bin/env node
import { text } from 'node:stream/consumers';
import { assertNode, enableCompileCache, exitWith } from '../node-version.ts';

// Like src/main.ts. Enables the compile cache, which speeds up the next run.
process.env['NODE_ENV'] ??= 'production';
assertNode(exitWith);
enableCompileCache();
const { runCommand } = await import('./run-command.ts');
const { createSpinner } = await import('./spinner.ts');

// The reader of a pipe may close it early: `duogate model FILE | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});

process.exitCode = await runCommand(process.argv.slice(2), {
  write: (text, output) => process[output].write(text),
  environment: process.env,
  isColoured: process.stdout.isTTY === true && !process.env['NO_COLOR'],
  progress: process.stderr.isTTY === true ? createSpinner() : undefined,
  directory: process.cwd(),
  readInput: () => text(process.stdin),
  // A gateway ends the process itself on a signal.
  serve: async (environment) => {
    const { serve, startFailure } = await import('../serve.ts');
    try {
      return (await serve(environment)).url;
    } catch (error) {
      console.error(startFailure(error));
      process.exit(1);
    }
  },
});
