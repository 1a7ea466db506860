import type { DocumentFinding, DocumentReport, Examination, ModelSummary } from '../contract/api-report.ts';
import { DocumentMistake } from '../document/document-mistake.ts';
import { reportMistake } from '../document/document-report.ts';
import type { DescriptionTexts } from '../document/openapi-description.ts';
import { examineDocument } from '../project/examination/examine-document.ts';
import type { ApiCommand } from './api-options.ts';
import { readTexts } from './read-texts.ts';
import { indent, section, writeLines } from './text-table.ts';

type Write = (text: string, output: 'stdout' | 'stderr') => void;

interface FileReport {
  readonly file: string;
  readonly report: DocumentReport;
  readonly model: ModelSummary | undefined;
}

/** Prints the reports of the files; comes back with whether there are no errors. */
export async function runValidate(
  { files, overlay, json }: Extract<ApiCommand, { kind: 'validate' }>,
  write: Write,
): Promise<boolean> {
  const reports: FileReport[] = [];
  for (const file of files) reports.push(await reportOf(file, overlay));
  write(
    json ? `${JSON.stringify(reports, undefined, 2)}\n` : writeLines(reports.flatMap(reportLines)),
    'stdout',
  );
  return reports.every(({ report }) => report.findings.every(({ severity }) => severity !== 'error'));
}

async function reportOf(file: string, overlay: string | undefined): Promise<FileReport> {
  const reading = tryReading(file, overlay);
  if (reading instanceof DocumentMistake) return { file, report: reportMistake(reading), model: undefined };
  const { report, document, model }: Examination = await examineDocument(reading, 'Api');
  return { file, report, model: document === undefined ? undefined : model };
}

function tryReading(file: string, overlay: string | undefined): DescriptionTexts | DocumentMistake {
  try {
    return readTexts(file, overlay);
  } catch (error) {
    if (error instanceof DocumentMistake) return error;
    throw error;
  }
}

function reportLines({ file, report, model }: FileReport, index: number): readonly string[] {
  const byMessage = (severity: DocumentFinding['severity']) =>
    report.findings.filter((finding) => finding.severity === severity);
  const [errors, warnings] = [byMessage('error'), byMessage('warning')];
  const leftOut = model?.leftOut.filter(({ severity }) => severity !== 'info') ?? [];
  return [
    ...(index === 0 ? [] : ['']),
    `${file}: ${report.summary}`,
    ...section(`Errors: ${errors.length}`, errors, findingLines),
    ...section(`Warnings: ${warnings.length}`, warnings, findingLines),
    ...section(`Left out or limited: ${leftOut.length}`, leftOut, ({ message, pointer, file }) => [
      message,
      ...indent([placed(pointer === '' ? 'the document' : pointer, file)]),
    ]),
  ];
}

function findingLines({ message, rule, line, column, pointer, file }: DocumentFinding): readonly string[] {
  const place = line === 0 ? '' : `line ${line}, column ${column}  `;
  return [`${message} (${rule})`, ...indent([placed(`${place}${pointer}`.trimEnd(), file)])];
}

function placed(place: string, file: DocumentFinding['file']): string {
  return file === undefined ? place : `in the overlay: ${place}`;
}
