import type { FindingReport } from './model-report.ts';
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
    return section(`${title}: ${group.length}`, [...placesByMessage(group)], ([message, places]) => [
      message,
      ...indent(places),
    ]);
  });
}

/** The places of each message: what is the same everywhere is said once. */
function placesByMessage(findings: readonly FindingReport[]): ReadonlyMap<string, readonly string[]> {
  const groups = Map.groupBy(findings, ({ message }) => message);
  return new Map([...groups].map(([message, group]) => [message, group.map(writePlace)]));
}

/** A URL reference with the pointer as its fragment where there are several files. */
function writePlace({ file, pointer }: FindingReport): string {
  if (file === undefined) return pointer === '' ? 'the document' : pointer;
  return pointer === '' ? file : `${file}#${pointer}`;
}
