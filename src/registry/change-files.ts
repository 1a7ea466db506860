import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { replaceFile } from './folder/replace-file.ts';

/** What a file is to hold; undefined for no file. */
export type FileChanges = ReadonlyMap<string, string | undefined>;

/**
 * Changes files all together: where one of them cannot be changed, or what is done then fails, they are as they
 * were, and `restored` is called.
 */
export async function changeFiles(
  changes: FileChanges,
  then: () => Promise<void>,
  restored: () => Promise<void>,
): Promise<void> {
  const earlier = new Map<string, Uint8Array | undefined>();
  try {
    for (const [file, text] of changes) {
      earlier.set(file, await readFile(file).catch(() => undefined));
      await write(file, text);
    }
    await then();
  } catch (error) {
    for (const [file, text] of earlier) await write(file, text);
    await restored();
    throw error;
  }
}

async function write(file: string, text: string | Uint8Array | undefined): Promise<void> {
  if (text === undefined) {
    await rm(file, { force: true });
    return;
  }
  await mkdir(dirname(file), { recursive: true });
  await replaceFile(file, text);
}
