import { CommanderError } from 'commander';
import type { AccountCommand } from './account-options.ts';
import type { ApiCommand } from './api-options.ts';
import type { ModelCommand } from './model-options.ts';
import { createProgram } from './program.ts';
import type { ServeCommand } from './serve-options.ts';
import { UsageError } from './usage-error.ts';

export type Command =
  | ServeCommand
  | ModelCommand
  | AccountCommand
  | ApiCommand
  | { readonly kind: 'help'; readonly usage: string }
  | { readonly kind: 'mistake'; readonly message: string };

/** Understands what stands behind `duogate` on the command line. A mistake is told with the usage. */
export function readCommand(args: readonly string[], isColoured = false): Command {
  const read: { command?: Command } = {};
  const { program, written, at } = createProgram((command) => {
    read.command = command;
  }, isColoured);
  try {
    program.parse([...args], { from: 'user' });
  } catch (error) {
    if (error instanceof UsageError)
      return { kind: 'mistake', message: `${error.message}\n\n${at().helpInformation()}` };
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0
      ? { kind: 'help', usage: written.out }
      : { kind: 'mistake', message: written.err };
  }
  return read.command ?? { kind: 'mistake', message: written.err };
}
