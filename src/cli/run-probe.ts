import type { ParameterOutcome, RelationOutcome } from '../contract/api-report.ts';
import { type ExitCode, type Io, reportingMistakes } from './command-io.ts';
import { readCommandConfig } from './project-environment.ts';
import { outcomeText, relationText, SERVED } from './relation-text.ts';
import { table } from './text-table.ts';

const VERDICTS = {
  proved: 'used',
  refuted: 'not used: it does something else',
  open: 'not tried: the list cannot be read',
  unsafe: 'not used: the first page could not show it',
} as const;

/** Calls the API to see what the parameters of its lists do and whether its relations hold, and prints it. */
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
    const parameters: ParameterOutcome[] = [];
    const relations: RelationOutcome[] = [];
    for await (const each of probeProject(readCommandConfig(io))) {
      if ('parameter' in each) parameters.push(each);
      else relations.push(each);
      io.progress?.(`Trying ${'parameter' in each ? each.entitySet : relationText(each)}`);
    }
    const lines =
      parameters.length === 0
        ? ['No list has a parameter that may narrow or sort it.']
        : table(parameters.map((each) => [each.entitySet, each.parameter, each.use, VERDICTS[each.verdict]]));
    const related = table(
      relations.map((each) => [relationText(each), SERVED[each.state], outcomeText(each)]),
    );
    const text = [...lines, ...(related.length === 0 ? [] : ['', 'Relations:', ...related])].join('\n');
    const found = JSON.stringify([...parameters, ...relations], undefined, 2);
    io.write(`${json ? found : text}\n`, 'stdout');
    return parameters.every(({ verdict }) => verdict !== 'open') && !relations.some(isWronglyServed);
  });
}

function isWronglyServed({ state, verdict }: RelationOutcome): boolean {
  return state !== 'suggested' && verdict === 'contradicted';
}
