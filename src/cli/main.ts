#!/usr/bin/env node
import { text } from 'node:stream/consumers';
import { assertNode, enableCompileCache, exitWith } from '../node-version.ts';

// As src/main.ts does. What a run has compiled, the next one finds compiled.
process.env['NODE_ENV'] ??= 'production';
assertNode(exitWith);
enableCompileCache();
const { runCommand } = await import('./run-command.ts');
const { createSpinner } = await import('./spinner.ts');

// Who reads the output may have seen enough of it: `duogate model FILE | head`.
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
  // A gateway ends the process by itself, when it is told to.
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
