import { type ExitCode, type Io, reportingMistakes } from './command-io.ts';
import { readCommandConfig } from './project-environment.ts';
import { table } from './text-table.ts';

const VERDICTS = {
  proved: 'used',
  refuted: 'not used: it does something else',
  open: 'not tried: the list cannot be read',
} as const;

/** Calls the API to see what the parameters of its lists do, and prints it. */
export function runProbe(
  { json, forget }: { readonly json: boolean; readonly forget: boolean },
  io: Io,
): Promise<ExitCode> {
  return reportingMistakes(io, async () => {
    const { probeProject, forgetParameters } = await import('../composition/probe.ts');
    if (forget) {
      forgetParameters(readCommandConfig(io));
      io.write('What was found is forgotten.\n', 'stdout');
      return true;
    }
    const probed = [];
    for await (const each of probeProject(readCommandConfig(io))) {
      io.progress?.(`Trying ${each.entitySet}`);
      probed.push(each);
    }
    const rows = probed.map(({ entitySet, parameter, use, verdict }) => [
      entitySet,
      parameter,
      use,
      verdict === 'unsafe' ? 'not used: the first page could not show it' : VERDICTS[verdict],
    ]);
    const lines = rows.length === 0 ? ['No list has a parameter that may narrow or sort it.'] : table(rows);
    io.write(json ? `${JSON.stringify(probed, undefined, 2)}\n` : `${lines.join('\n')}\n`, 'stdout');
    return probed.every(({ verdict }) => verdict !== 'open');
  });
}
