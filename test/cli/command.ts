import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ExitCode } from '../../src/cli/command-io.ts';
import { runCommand } from '../../src/cli/run-command.ts';

interface Outcome {
  readonly code: ExitCode;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command and keeps what it writes; paths of temporary files are shortened to their names. */
export async function outcome(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  input = '',
  directory = process.cwd(),
): Promise<Outcome> {
  const written = { stdout: '', stderr: '' };
  const code = await runCommand(args, {
    write: (text, output) => {
      written[output] += text.replaceAll(/[^\s"]*duogate-cli-\w+[\\/]/g, '');
    },
    environment,
    readInput: async () => input,
    isColoured: false,
    directory,
    serve: async () => {
      written.stdout += 'serving\n';
      return 'http://127.0.0.1:4000';
    },
  });
  return { code, ...written };
}

/** A file that is there until the test is finished. */
export async function temporaryFile(name: string, content: string | Uint8Array): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'duogate-cli-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const file = join(directory, name);
  await writeFile(file, content);
  return file;
}
