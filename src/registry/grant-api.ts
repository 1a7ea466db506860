import { basename } from 'node:path';
import type { WrittenGrants } from '../contract/access-report.ts';
import { GatewayError } from '../contract/gateway-error.ts';
import { DocumentMistake } from '../document/document-mistake.ts';
import { readText } from '../document/file-text.ts';
import type { DescriptionTexts } from '../document/openapi-description.ts';
import { overlayBeside, overlayFile } from '../document/overlay/overlay-file.ts';
import { demandWritable, findEntry } from './registry.ts';
import { type ChangeGround, demandOwnFile, storeChanges } from './store-changes.ts';

/** Has an API's overlay grant it: users may do so when the promise resolves. Its document stays as it is. */
export async function grantApi(
  ground: ChangeGround,
  name: string,
  rows: readonly WrittenGrants[],
): Promise<void> {
  demandWritable(ground);
  const entry = findEntry(ground, name);
  demandOwnFile(ground, entry);
  const overlay = await ground.grant(textsOf(entry.file), rows);
  await storeChanges(ground, entry, [[overlayFile(entry.file), overlay]]);
}

/** Throws BadRequest where a file cannot be read. */
function textsOf(file: string): DescriptionTexts {
  const document = readText(file, 'files');
  if (typeof document !== 'string') throw unreadable(document);
  try {
    return { document, file: basename(file), overlay: overlayBeside(file) };
  } catch (error) {
    throw error instanceof DocumentMistake ? unreadable(error) : error;
  }
}

function unreadable({ message }: DocumentMistake): GatewayError {
  return new GatewayError('BadRequest', message, { target: 'document' });
}
