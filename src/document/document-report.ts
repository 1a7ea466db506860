import {
  type DocumentFinding,
  type DocumentKind,
  type DocumentReport,
  REFERENCE_CYCLE,
} from '../contract/api-report.ts';
import { DocumentMistake, NotOpenApi } from './document-mistake.ts';
import type { OpenApiDocument } from './openapi-version.ts';
import { parseOpenApi } from './parse-openapi.ts';
import { referenceCycles } from './reference-cycles.ts';

/** A document that was read, and what is wrong with it. */
export interface ReportedDocument {
  readonly document: OpenApiDocument | undefined;
  readonly report: DocumentReport;
}

/** Says what a text is that is offered as an OpenAPI document, and what is wrong with it. */
export async function reportDocument(text: string): Promise<ReportedDocument> {
  const reading = readDocument(text);
  if (reading.kind === 'mistake') return { document: undefined, report: reportMistake(reading.mistake) };
  const { document } = reading;
  const findings = await findMistakes(text, document);
  const kind = /^3\.0/.test(String(document['openapi'])) ? 'openapi-3.0' : 'openapi-3.1';
  return { document, report: { kind, summary: summarize(document, findings), findings } };
}

const NO_ERRORS = 'There are no schema validation errors.';

type Reading =
  | { readonly kind: 'document'; readonly document: OpenApiDocument }
  | { readonly kind: 'mistake'; readonly mistake: DocumentMistake };

function readDocument(text: string): Reading {
  try {
    return { kind: 'document', document: parseOpenApi(text) };
  } catch (error) {
    if (error instanceof DocumentMistake) return { kind: 'mistake', mistake: error };
    throw error;
  }
}

/** Says why a text cannot be taken, and what to do. */
export function reportMistake(mistake: DocumentMistake): DocumentReport {
  const [, line = '0', column = '0'] = /at line (\d+), column (\d+)/.exec(mistake.message) ?? [];
  const kind = kindOf(mistake);
  const finding: DocumentFinding = {
    severity: 'error',
    rule: kind,
    message: mistake.message,
    line: Number(line),
    column: Number(column),
    pointer: '',
  };
  return { kind, summary: `${mistake.message} ${ADVICE[kind]}`.trimEnd(), findings: [finding] };
}

type MistakenKind = Exclude<DocumentKind, 'openapi-3.1' | 'openapi-3.0'>;

function kindOf(mistake: DocumentMistake): MistakenKind {
  if (!(mistake instanceof NotOpenApi)) return 'unreadable';
  return mistake.isSwagger ? 'swagger-2' : 'not-openapi';
}

const ADVICE: Readonly<Record<MistakenKind, string>> = {
  // How to convert it is part of the message.
  'swagger-2': '',
  'not-openapi': 'Give the OpenAPI 3.1 (or 3.0) description of the API, in YAML or JSON.',
  unreadable: 'Mend the file and give it again.',
};

/** The linter fails on references that lead in circles: where there are some, they are all there is to say. */
async function findMistakes(text: string, document: OpenApiDocument): Promise<readonly DocumentFinding[]> {
  const cycles = referenceCycles(document);
  // It takes a while to load, which nobody should wait for who has given something else.
  const { lintOpenApi, placeFinder } = await import('./lint-openapi.ts');
  if (cycles.length === 0) return lintOpenApi(text);
  const find = placeFinder(text);
  return cycles.slice(0, MOST_CYCLES).map((pointer) => ({
    severity: 'error',
    rule: REFERENCE_CYCLE,
    message: 'The reference leads in a circle and never to anything',
    ...find(pointer),
    pointer,
  }));
}

const MOST_CYCLES = 100;

function summarize({ openapi }: OpenApiDocument, findings: readonly DocumentFinding[]): string {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const version = /^3\.1/.test(String(openapi)) ? '' : `It is OpenAPI ${openapi}, which is served too. `;
  return `${version}${errors === 0 ? NO_ERRORS : countErrors(errors)}`;
}

function countErrors(errors: number): string {
  if (errors === 1) return 'There is 1 schema validation error: what it is about may not be served.';
  return `There are ${errors} schema validation errors: what they are about may not be served.`;
}
