import type { Finding } from '../../model/derive/model-from-openapi.ts';

type Kind = Pick<Finding, 'severity' | 'rule' | 'message'>;

/** Findings of one kind: with the same rule or, where they have none, the same words beside names. */
export function groupFindings<Each extends Kind>(
  findings: readonly Each[],
): readonly (readonly [Each, ...Each[]])[] {
  const groups = Map.groupBy(
    findings,
    ({ severity, rule, message }) => `${severity} ${rule ?? wordsOf(message)}`,
  );
  return [...groups.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [[first, ...others]],
  );
}

/** Names are in quotation marks, or have characters that words of a sentence have not. */
function wordsOf(message: string): string {
  return message.replace(/"[^"]*"|\S*[A-Z_\d]\S*/g, '');
}
