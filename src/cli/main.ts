#!/usr/bin/env node
import { text } from 'node:stream/consumers';
import { enableCompileCache } from '../node-20.ts';

// What a run has compiled, the next one finds compiled.
enableCompileCache();
const { runCommand } = await import('./run-command.ts');

// Who reads the output may have seen enough of it: `duogate model FILE | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});

process.exitCode = await runCommand(process.argv.slice(2), {
  write: (text, output) => process[output].write(text),
  environment: process.env,
  readInput: () => text(process.stdin),
  // The entry of the gateway reads the environment and ends the process by itself.
  serve: async () => {
    await import('../main.ts');
  },
});
