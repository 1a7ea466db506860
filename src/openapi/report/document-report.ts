import {
  type DocumentFinding,
  type DocumentKind,
  type DocumentReport,
  type ProgressStep,
  REFERENCE_CYCLE,
} from '../../contract/api-report.ts';
import { member, nodeAt, nodeBelow, rootNode, text } from '../document/document-node.ts';
import { decodeFragment } from '../document/document-source.ts';
import { type DescriptionTexts, type OpenApiDescription, readDescription } from '../openapi-description.ts';
import { OverlayMistake } from '../overlay/overlay-document.ts';
import { DocumentMistake, NotOpenApi } from '../parse/document-mistake.ts';
import type { OpenApiDocument } from '../parse/openapi-version.ts';
import { placeIn } from '../parse/parse-text.ts';

/** A readable document with its findings. */
export interface ReportedDocument {
  readonly description: OpenApiDescription | undefined;
  readonly report: DocumentReport;
}

/** Determines the kind of the texts and their findings. */
export async function reportDocument(
  texts: DescriptionTexts,
  onStep: (step: ProgressStep) => void = () => undefined,
): Promise<ReportedDocument> {
  onStep('reading');
  const reading = tryReading(texts);
  if (reading instanceof DocumentMistake) return { description: undefined, report: reportMistake(reading) };
  onStep('checking');
  const findings = await findMistakes(texts, reading);
  const kind = kindOf(reading);
  return { description: reading, report: { kind, summary: summarize(kind, reading, findings), findings } };
}

function kindOf({ document, original }: OpenApiDescription): ServedKind {
  if (document !== original.document) return 'swagger-2';
  return /^3\.0/.test(String(document['openapi'])) ? 'openapi-3.0' : 'openapi-3.1';
}

const NO_ERRORS = 'There are no schema validation errors.';

function tryReading(texts: DescriptionTexts): OpenApiDescription | DocumentMistake {
  try {
    return readDescription(texts);
  } catch (error) {
    if (error instanceof DocumentMistake) return error;
    throw error;
  }
}

/** Explains why a text is rejected, and how to correct it. */
export function reportMistake(mistake: DocumentMistake): DocumentReport {
  const kind = mistakenKind(mistake);
  const { message } = mistake;
  const common = { severity: 'error', rule: kind } as const;
  const findings: readonly DocumentFinding[] =
    mistake instanceof OverlayMistake
      ? mistake.faults.map((fault) => ({ ...common, ...fault, file: 'overlay' }))
      : [{ ...common, message, ...placeIn(message), pointer: '' }];
  return { kind, summary: `${message} ${ADVICE[kind]}`.trimEnd(), findings };
}

type ServedKind = Extract<DocumentKind, 'openapi-3.1' | 'openapi-3.0' | 'swagger-2'>;
type MistakenKind = Exclude<DocumentKind, ServedKind>;

function mistakenKind(mistake: DocumentMistake): MistakenKind {
  if (mistake instanceof OverlayMistake) return 'bad-overlay';
  return mistake instanceof NotOpenApi ? 'not-openapi' : 'unreadable';
}

const ADVICE: Readonly<Record<MistakenKind, string>> = {
  'not-openapi': 'Provide the OpenAPI 3.1 (or 3.0) description of the API, in YAML or JSON.',
  unreadable: 'Correct the file and try again.',
  // The faults name their positions themselves.
  'bad-overlay': '',
};

/** The linter fails on circular references, so these are then the only findings. */
async function findMistakes(
  texts: DescriptionTexts,
  description: OpenApiDescription,
): Promise<readonly DocumentFinding[]> {
  const cycles = referenceCycles(description.original.document);
  // Loaded on demand, because the linter takes a while.
  const { lintOpenApi, placeFinder } = await import('./lint-openapi.ts');
  if (cycles.length === 0) return lintOpenApi(texts, description);
  const find = placeFinder(texts, description.original);
  return cycles.slice(0, MOST_CYCLES).map((pointer) => ({
    severity: 'error',
    rule: REFERENCE_CYCLE,
    message: 'The reference is circular and never leads to anything',
    ...find(pointer),
  }));
}

const MOST_CYCLES = 100;

function summarize(
  kind: ServedKind,
  { document }: OpenApiDescription,
  findings: readonly DocumentFinding[],
): string {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const version = describeVersion(kind, String(document['openapi']));
  return `${version}${errors === 0 ? NO_ERRORS : countErrors(errors)}`;
}

function describeVersion(kind: ServedKind, version: string): string {
  if (kind === 'swagger-2') return `It is Swagger 2.0, and served as OpenAPI ${version}. `;
  return version.startsWith('3.1') ? '' : `It is OpenAPI ${version}, which is served too. `;
}

function countErrors(errors: number): string {
  if (errors === 1)
    return 'There is 1 schema validation error. The part of the document that it concerns cannot be served.';
  return `There are ${errors} schema validation errors. The parts of the document that they concern cannot be served.`;
}

/**
 * The JSON pointers of references that only lead to each other. Recursive schemas, such as trees, are not
 * circular in this sense.
 */
function referenceCycles(document: OpenApiDocument): readonly string[] {
  const known = new Map<unknown, boolean>();
  const seen = new Set<unknown>();
  const found: string[] = [];
  const visit = (value: unknown, pointer: string): void => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return;
    seen.add(value);
    if (leadsInCircle(document, value, known)) found.push(pointer);
    for (const [name, inner] of Object.entries(value)) {
      visit(inner, nodeBelow({ value, pointer }, name, inner).pointer);
    }
  };
  visit(document, '');
  return found;
}

/** Follows each reference once, because the result applies to the whole chain. */
function leadsInCircle(document: OpenApiDocument, start: unknown, known: Map<unknown, boolean>): boolean {
  const chain = new Set<unknown>();
  let at: unknown = start;
  let isCircle = known.get(at);
  while (isCircle === undefined) {
    chain.add(at);
    at = referenced(document, at);
    isCircle = at === undefined ? false : chain.has(at) ? true : known.get(at);
  }
  for (const each of chain) known.set(each, isCircle);
  return isCircle;
}

function referenced(document: OpenApiDocument, value: unknown): unknown {
  const reference = text(member({ value, pointer: '' }, '$ref'));
  if (reference === undefined || !reference.startsWith('#')) return undefined;
  return nodeAt(rootNode(document), decodeFragment(reference.slice(1)))?.value;
}
