import type {
  DocumentFinding,
  DocumentReport,
  Examination,
  ModelSummary,
  ProgressStep,
  SilentReads,
} from '../contract/api-report.ts';
import type { DescriptionTexts } from '../openapi/openapi-description.ts';
import { DocumentMistake } from '../openapi/parse/document-mistake.ts';
import { byCost, isUngranted } from '../openapi/report/by-cost.ts';
import { reportMistake } from '../openapi/report/document-report.ts';
import { examineDocument } from '../project/examination/examine-document.ts';
import type { ApiCommand } from './api-options.ts';
import type { ExitCode, Io } from './command-io.ts';
import { readTexts } from './derive-model.ts';
import { count, indent, section, writeLines } from './text-table.ts';

const DOING: Readonly<Record<ProgressStep, string>> = {
  waiting: 'Waiting for',
  reading: 'Reading',
  checking: 'Checking',
  deriving: 'Deriving the tables of',
  serving: 'Serving',
};

interface FileReport {
  readonly file: string;
  readonly report: DocumentReport;
  readonly model: ModelSummary | undefined;
}

/** Prints the reports of the files; exits with 1 if something that is meant to be served cannot be. */
export async function runValidate(
  { files, overlay, json }: Extract<ApiCommand, { kind: 'validate' }>,
  { write, progress }: Pick<Io, 'write' | 'progress'>,
): Promise<ExitCode> {
  const reports: FileReport[] = [];
  for (const file of files) reports.push(await reportOf(file, overlay, progress));
  write(
    json ? `${JSON.stringify(reports, undefined, 2)}\n` : writeLines(reports.flatMap(reportLines)),
    'stdout',
  );
  return reports.flatMap(remarksOf).some(({ severity }) => severity === 'error') ? 1 : 0;
}

async function reportOf(
  file: string,
  overlay: string | undefined,
  progress: Io['progress'],
): Promise<FileReport> {
  const reading = tryReading(file, overlay);
  if (reading instanceof DocumentMistake) return { file, report: reportMistake(reading), model: undefined };
  const { report, document, model }: Examination = await examineDocument(reading, 'Api', (step) =>
    progress?.(`${DOING[step]} ${file}`),
  );
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

function reportLines(report: FileReport, index: number): readonly string[] {
  const remarks = remarksOf(report);
  return [
    ...(index === 0 ? [] : ['']),
    `${report.file}: ${report.report.summary}`,
    ...(report.model === undefined ? [] : listLines(report.model.lists)),
    ...GROUPS.flatMap(([severity, title, isAboutGrants]) => {
      const group = remarks.filter(
        (remark) => remark.severity === severity && isUngranted(remark.message) === isAboutGrants,
      );
      const count = group.reduce((sum, { others = 0 }) => sum + 1 + others, 0);
      return section(`${title}: ${count}`, group, remarkLines);
    }),
  ];
}

/** The number of lists that are tables, and the reasons of the others, the most frequent first. */
function listLines({ lists, tables, reasons, silent }: ModelSummary['lists']): readonly string[] {
  const silentLines = silent === undefined ? [] : ['', silentLine(silent)];
  if (lists === 0) return silentLines;
  return [
    ...silentLines,
    '',
    `Tables: ${tables} of ${count(lists, 'list')}`,
    ...reasons.flatMap((reason) => [
      '',
      ...indent([
        `${count(reason.lists, 'list')} (${reason.rule}), such as ${reason.path}: ${reason.message}`,
        `  ${placed(reason.pointer, reason.file)}`,
        ...(reason.hint === '' ? [] : [`  ${reason.hint}`]),
      ]),
    ]),
  ];
}

function silentLine({ reads, lists }: SilentReads): string {
  const answers = reads === 1 ? 'does not say what it answers with' : 'do not say what they answer with';
  const like = lists === 1 ? '1 looks like a list' : `${lists} look like lists`;
  return `${count(reads, 'read')} ${answers}; ${like}: learn from an answer (duogate learn)`;
}

const GROUPS = [
  ['error', 'Errors', false],
  ['warning', 'Left out or limited', false],
  ['info', 'Notes', false],
  ['info', 'Without a role that may use it', true],
] as const;

/** A remark on a position in the document, or on its outcome in the model. */
type Remark = Omit<DocumentFinding, 'rule' | 'line' | 'column'> &
  Partial<Pick<DocumentFinding, 'rule' | 'line' | 'column'>>;

function remarksOf({ report, model }: FileReport): readonly Remark[] {
  return [...report.findings, ...(model?.leftOut ?? [])].toSorted(byCost);
}

function remarkLines({
  message,
  rule,
  line = 0,
  column,
  pointer,
  file,
  others = 0,
}: Remark): readonly string[] {
  const place = line === 0 ? '' : `line ${line}, column ${column}  `;
  const where = rule === undefined && pointer === '' ? 'the document' : pointer;
  const more = others === 0 ? '' : `  and ${count(others, 'other place')}`;
  const text = rule === undefined ? message : `${message} (${rule})`;
  return [text, ...indent([`${placed(`${place}${where}`.trimEnd(), file)}${more}`.trimEnd()])];
}

function placed(place: string, file: DocumentFinding['file']): string {
  if (file === undefined) return place;
  return `in ${file === 'overlay' ? 'the overlay' : file}: ${place}`;
}
