import type { CredentialReport } from '../project/plan/credentials.ts';
import type { SourceReport } from './model-report.ts';
import { count } from './quantity.ts';
import { indent, section, table } from './text-table.ts';

/** What the documents' security schemes ask for, and what to write into a project file for each. */
export function credentialLines(sources: readonly SourceReport[]): readonly string[] {
  const several = sources.length > 1;
  const credentials = sources.flatMap(({ name, credentials }) =>
    credentials.map((credential) => ({
      credential,
      title: several ? `${name}: ${credential.name}` : credential.name,
    })),
  );
  return section(`Credentials: ${credentials.length}`, credentials, ({ credential, title }) => [
    title,
    ...indent(table(rowsOf(credential))),
  ]);
}

const ELSEWHERE = 'nothing: no setting of a source can give it; see docs/upstream-credentials.md';

function rowsOf({
  asksFor,
  operations,
  isGiven,
  isInFile,
  setting,
}: CredentialReport): readonly (readonly string[])[] {
  const rows = [
    ['is', asksFor],
    ['lets in', count(operations, 'operation')],
  ];
  if (isInFile) return [...rows, ['given', 'by the file of credentials']];
  if (setting === undefined) return [...rows, ['write', ELSEWHERE]];
  const { section, name, value, note } = setting;
  if (isGiven) return [...rows, ['given', `by ${section}.${name}`]];
  return [
    ...rows,
    ['write', `${section}: { ${JSON.stringify(name)}: ${JSON.stringify(value)} }`],
    ...(note === undefined ? [] : [['with', note]]),
  ];
}
