import type { Finding } from '../../derive/model-from-openapi.ts';
import { byCost } from '../../openapi/report/by-cost.ts';

type Kind = Pick<Finding, 'severity' | 'rule' | 'message' | 'pointer'>;

/** Groups findings of one kind (the same rule, or the same words around names), the most costly first. */
export function groupFindings<Each extends Kind>(
  findings: readonly Each[],
): readonly (readonly [Each, ...Each[]])[] {
  const groups = Map.groupBy(
    findings,
    ({ severity, rule, message }) => `${severity} ${rule ?? wordsOf(message)}`,
  );
  return [...groups.values()]
    .flatMap(([first, ...others]): readonly [Each, ...Each[]][] =>
      first === undefined ? [] : [[first, ...others]],
    )
    .toSorted((one, other) => byCost(ranked(one), ranked(other)));
}

function ranked<Each extends Kind>([{ severity, pointer, rule, message }, ...others]: readonly [
  Each,
  ...Each[],
]) {
  return { severity, pointer, rule, message, others: others.length };
}

/** The words of a message without names, which are quoted or contain special characters. */
function wordsOf(message: string): string {
  return message.replace(/"[^"]*"|\S*[A-Z_\d]\S*/g, '');
}
