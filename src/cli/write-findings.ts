import { groupFindings } from '../project/plan/group-findings.ts';
import type { FindingReport } from './model-report.ts';
import { count } from './quantity.ts';
import { indent, section, writeLines } from './text-table.ts';

type Severity = FindingReport['severity'];

const GROUPS: readonly (readonly [Severity, string])[] = [
  ['error', 'Errors in the document'],
  ['warning', 'Left out or limited'],
  ['info', 'Notes'],
];

/** Writes findings by themselves; nothing where there are none. */
export function writeFindings(findings: readonly FindingReport[]): string {
  return writeLines(findingLines(findings).slice(1));
}

export function findingLines(findings: readonly FindingReport[]): readonly string[] {
  return GROUPS.flatMap(([severity, title]) => {
    const group = findings.filter((finding) => finding.severity === severity);
    return section(`${title}: ${group.length}`, groupFindings(group), kindLines);
  });
}

/** What is the same everywhere is said once, with all of its places; what differs in names, with its first. */
function kindLines([first, ...others]: readonly [FindingReport, ...FindingReport[]]): readonly string[] {
  const isSame = others.every(({ message }) => message === first.message);
  if (isSame) return [first.message, ...indent([first, ...others].map(writePlace))];
  return [first.message, ...indent([`${writePlace(first)}  and ${count(others.length, 'other place')}`])];
}

/** A URL reference with the pointer as its fragment where there are several files. */
function writePlace({ file, pointer }: FindingReport): string {
  if (file === undefined) return pointer === '' ? 'the document' : pointer;
  return pointer === '' ? file : `${file}#${pointer}`;
}
