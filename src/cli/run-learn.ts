import { existsSync } from 'node:fs';
import { type ExitCode, type Io, reportingMistakes } from './command-io.ts';
import type { ModelCommand } from './model-options.ts';
import { readCommandConfig } from './project-environment.ts';
import { indent } from './text-table.ts';
import { writeWhole } from './written-files.ts';

/** Learns schemas from answers, prints the change of each overlay, and writes it if the command says so. */
export function runLearn(
  { api, operation, calls, writes }: Extract<ModelCommand, { kind: 'learn' }>,
  io: Io,
): Promise<ExitCode> {
  return reportingMistakes(io, async () => {
    const { learnProject } = await import('../composition/learn.ts');
    let found = false;
    for await (const learnt of learnProject(readCommandConfig(io), {
      api,
      operation,
      calls: calls || writes,
    })) {
      if (learnt.reads.length === 0) continue;
      found = true;
      const lines = [
        `${learnt.api}:`,
        ...indent(learnt.reads.map(({ path, outcome }) => `GET ${path}: ${outcome}`)),
        ...learnt.difference,
      ];
      io.write(`${lines.join('\n')}\n`, 'stdout');
      if (learnt.overlay === undefined || !writes) continue;
      const { file, text } = learnt.overlay;
      const verb = existsSync(file) ? 'changed' : 'written';
      writeWhole(file, text);
      io.write(`${file} is ${verb}.\n`, 'stdout');
    }
    if (!found) io.write('The documents say what all reads answer with.\n', 'stdout');
    else if (!calls && !writes)
      io.write('Nothing was called. --call calls the APIs, --write writes the overlays, too.\n', 'stdout');
    return true;
  });
}
