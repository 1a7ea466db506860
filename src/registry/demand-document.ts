import { type DocumentReport, EXTERNAL_REFERENCE, REFERENCE_CYCLE } from '../contract/api-report.ts';
import { GatewayError } from '../contract/gateway-error.ts';
import type { Examinations } from './examinations.ts';
import type { ApiEntry } from './folder/api-folder.ts';

/** Throws BadRequest for a text that would be no OpenAPI document in that file, or none that stands by itself. */
export async function demandDocument(
  examinations: Examinations,
  text: string,
  { name, file }: Pick<ApiEntry, 'name' | 'file'>,
  target = 'document',
): Promise<void> {
  const { report, document } = (await examinations.ofText(text, name, file)).examination;
  if (document === undefined) throw new GatewayError('BadRequest', report.summary, { target });
  refuseOpenReferences(report, target);
}

const OPEN: ReadonlySet<string> = new Set([EXTERNAL_REFERENCE, REFERENCE_CYCLE]);
const MOST_DETAILS = 20;

/** Throws BadRequest where references of a document lead out of it, or nowhere. */
export function refuseOpenReferences({ findings }: DocumentReport, target: string): void {
  const open = findings.filter(({ rule }) => OPEN.has(rule));
  if (open.length === 0) return;
  const details = open.slice(0, MOST_DETAILS).map(({ message, line, pointer }) => ({
    code: 'BadRequest' as const,
    message: `Line ${line}: ${message}.`,
    target: pointer,
  }));
  const message =
    'The document does not stand by itself: it has references to other files, or that lead in a circle. ' +
    '`npx @redocly/cli bundle FILE` puts several files into one.';
  throw new GatewayError('BadRequest', message, { target, details });
}
