import {
  type DocumentReport,
  EXTERNAL_REFERENCE,
  type Examination,
  REFERENCE_CYCLE,
} from '../contract/api-report.ts';
import { GatewayError } from '../contract/gateway-error.ts';

/** Throws BadRequest if the text is no OpenAPI document, or has external references. */
export function assertDocument(
  { report, document }: Pick<Examination, 'report' | 'document'>,
  target = 'document',
): void {
  if (document === undefined) throw new GatewayError('BadRequest', report.summary, { target });
  assertClosedReferences(report, target);
}

const OPEN: ReadonlySet<string> = new Set([EXTERNAL_REFERENCE, REFERENCE_CYCLE]);
const MOST_DETAILS = 20;

/** Throws BadRequest for references that leave the document or have no target. */
function assertClosedReferences({ findings }: DocumentReport, target: string): void {
  const open = findings.filter(({ rule }) => OPEN.has(rule));
  if (open.length === 0) return;
  const details = open.slice(0, MOST_DETAILS).map(({ message, line, pointer }) => ({
    code: 'BadRequest' as const,
    message: `Line ${line}: ${message}.`,
    target: pointer,
  }));
  const message =
    'The document does not stand by itself: it has references to other files, or that are circular. ' +
    '`npx @redocly/cli bundle FILE` puts several files into one.';
  throw new GatewayError('BadRequest', message, { target, details });
}

const MEBIBYTE = 1024 * 1024;

export const LARGEST_DOCUMENT = 5 * MEBIBYTE;

/** A document is a JSON string in a request: line breaks and quotation marks take two bytes each. */
export const LARGEST_REQUEST = 2 * LARGEST_DOCUMENT;

export function tooLarge(target: string): GatewayError {
  return new GatewayError('PayloadTooLarge', 'An OpenAPI document may have at most 5 MiB.', { target });
}
