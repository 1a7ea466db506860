import { readDemoCommand, USAGE } from '../demo/demo-options.ts';
import type { ExitCode, Io } from './command-io.ts';

/** Serves a sample API until the process is told to stop. */
export async function runDemoCommand(
  { api }: { readonly api: string | undefined },
  { environment, write }: Pick<Io, 'environment' | 'write'>,
): Promise<ExitCode> {
  const demo = readDemoCommand(api === undefined ? [] : ['--api', api]);
  if (demo.kind !== 'run') {
    write(`${demo.kind === 'mistake' ? `${demo.message}\n\n` : ''}${USAGE}`, 'stderr');
    return 2;
  }
  // Most of what it loads is only needed here.
  const { explain, runDemo } = await import('../demo/run-demo.ts');
  try {
    await runDemo(demo.api, environment);
    return 0;
  } catch (error) {
    write(`${explain(error)}\n`, 'stderr');
    return 1;
  }
}
