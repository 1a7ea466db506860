import { GatewayError } from '../contract/gateway-error.ts';
import { findRoot } from '../openapi/files/find-root.ts';
import type { DescriptionTexts } from '../openapi/openapi-description.ts';
import { DocumentMistake } from '../openapi/parse/document-mistake.ts';
import type { ChangeDependencies } from './apis/store-changes.ts';
import { assertDocument } from './assert-document.ts';
import { openArchive } from './open-archive.ts';

/** The texts of the document in a ZIP archive in base64. Throws BadRequest for an invalid archive. */
export async function textsInArchive(archive: string): Promise<DescriptionTexts> {
  const files = await openArchive(Buffer.from(archive, 'base64'));
  try {
    return findRoot(files);
  } catch (error) {
    if (!(error instanceof DocumentMistake)) throw error;
    throw new GatewayError('BadRequest', error.message, { target: 'archive' });
  }
}

/**
 * One document, in JSON, of all files; this is what the registry stores. Throws BadRequest, with the positions in the
 * files, for references that lead nowhere.
 */
export async function bundledDocument(
  { examinations, improve }: Pick<ChangeDependencies, 'examinations' | 'improve'>,
  texts: DescriptionTexts,
  name: string,
  target: string,
): Promise<string> {
  if (texts.referenced === undefined || texts.referenced.files.length === 0) return texts.document;
  assertDocument((await examinations.ofFiles(texts, name)).examination, target);
  return (await improve(texts, { kind: 'bundle' })).document ?? texts.document;
}
