import { DEEPEST_DOCUMENT, isShallow } from '../parse/document-limits.ts';
import { member, text } from './document-node.ts';
import type { DocumentSource } from './document-source.ts';

/** Whether it is an OpenAPI document at all; what it is instead is reported. */
export function isReadable({ root, report }: DocumentSource): boolean {
  const { value } = root;
  if (typeof value !== 'object' || value === null || text(member(root, 'openapi')) === undefined) {
    report('error', '', 'It is no OpenAPI document: it has no `openapi` version');
    return false;
  }
  const isFit = isShallow(value);
  if (!isFit) report('error', '', `The document is nested deeper than ${DEEPEST_DOCUMENT} levels`);
  return isFit;
}
