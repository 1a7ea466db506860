import { type FileHandle, open } from 'node:fs/promises';
import { FileMistake } from './file-mistake.ts';
import type { OpenApiDocument } from './openapi-version.ts';
import { parseOpenApi } from './parse-openapi.ts';

type Reading =
  | { readonly kind: 'document'; readonly document: OpenApiDocument }
  | { readonly kind: 'mistake'; readonly message: string };

/** The largest public descriptions have some ten megabytes. */
const LARGEST_FILE = 16 * 1024 * 1024;

/**
 * Reads an OpenAPI document, in YAML or JSON, from a file that may hold anything.
 *
 * It never throws: what is no document, or none that could be served, comes back as the one mistake.
 */
export async function readDocument(file: string): Promise<Reading> {
  try {
    const document = parseOpenApi(await readText(file));
    return { kind: 'document', document };
  } catch (error) {
    return { kind: 'mistake', message: explain(error) };
  }
}

function explain(error: unknown): string {
  if (error instanceof FileMistake) return error.message;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = REASONS.get(code) ?? (error instanceof Error ? error.message : String(error));
  return `The file cannot be read: ${reason}.`;
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'there is none of that name'],
  ['ENOTDIR', 'there is none of that name'],
  ['EACCES', 'access is denied'],
  ['EPERM', 'access is denied'],
]);

async function readText(file: string): Promise<string> {
  const handle = await open(file);
  try {
    return decode(await readBytes(handle));
  } finally {
    await handle.close();
  }
}

/** Reads a little more than is allowed at the most: pipes and devices do not tell their size. */
async function readBytes(handle: FileHandle): Promise<Uint8Array> {
  const status = await handle.stat();
  if (status.isDirectory()) throw new FileMistake('It is a directory, not an OpenAPI file.');
  if (status.size > LARGEST_FILE) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of handle.createReadStream({ autoClose: false }) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > LARGEST_FILE) throw tooLarge();
  }
  return Buffer.concat(chunks);
}

function tooLarge(): FileMistake {
  return new FileMistake(`The file is larger than ${LARGEST_FILE / 1024 / 1024} MB.`);
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new FileMistake('The file is no text in UTF-8.');
  }
}
