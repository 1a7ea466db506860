import { posix } from 'node:path';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { GatewayError } from '../contract/gateway-error.ts';
import type { NamedText } from '../openapi/parse/file-text.ts';

/** Maximum number of files and folders in an archive. */
const MOST_ENTRIES = 2_000;

/** Maximum size of all documents of an archive together, in bytes. */
const MOST_BYTES = 5 * 1024 * 1024;

/** Maximum ratio of the size of a file to its size in the archive. Documents are compressed to a tenth or a twentieth. */
const MOST_RATIO = 200;

/** The type of a symbolic link in a Unix mode, which ZIP keeps in the upper half of the external attributes. */
const [TYPE_MASK, LINK] = [0o170_000, 0o120_000];

/**
 * The YAML and JSON files of a ZIP archive, without hidden ones. Nothing is written to disk.
 *
 * Throws BadRequest for an invalid archive, and PayloadTooLarge for one that is larger than its limits. The library checks
 * names (no absolute path, no `..`, no backslash), sizes and checksums.
 */
export async function openArchive(bytes: Buffer): Promise<readonly NamedText[]> {
  try {
    const archive = await fromBufferPromise(bytes, { strictFileNames: true, validateEntrySizes: true });
    return await readEntries(archive);
  } catch (cause) {
    if (cause instanceof GatewayError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new GatewayError('BadRequest', `The archive cannot be read: ${reason}.`, {
      target: 'archive',
      cause,
    });
  }
}

async function readEntries(archive: ZipFile): Promise<readonly NamedText[]> {
  if (archive.entryCount > MOST_ENTRIES) throw tooLarge(`has more than ${MOST_ENTRIES} files`);
  const files: NamedText[] = [];
  const names = new Set<string>();
  let size = 0;
  for await (const entry of archive.eachEntry()) {
    const name = posix.normalize(entry.fileName);
    if (!isDocument(name)) continue;
    if (names.has(name))
      throw new GatewayError('BadRequest', `The archive has ${name} twice.`, { target: 'archive' });
    names.add(name);
    if (((entry.externalFileAttributes >>> 16) & TYPE_MASK) === LINK)
      throw new GatewayError('BadRequest', `${name} in the archive is a link.`, { target: 'archive' });
    size += entry.uncompressedSize;
    if (size > MOST_BYTES) throw tooLarge('holds documents of more than 5 MiB');
    if (entry.uncompressedSize > MOST_RATIO * Math.max(entry.compressedSize, 100))
      throw tooLarge(`compresses ${name} to less than 1/${MOST_RATIO}`);
    files.push({ file: name, text: await readText(archive, entry) });
  }
  return files;
}

function isDocument(name: string): boolean {
  const isHidden = name.split('/').some((step) => step.startsWith('.') || step === '__MACOSX');
  return /\.(?:ya?ml|json)$/i.test(name) && !isHidden;
}

/** Reads no more than the declared size, which the library checks. */
async function readText(archive: ZipFile, entry: Entry): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of await archive.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
}

function tooLarge(what: string): GatewayError {
  return new GatewayError('PayloadTooLarge', `The archive ${what}.`, { target: 'archive' });
}
