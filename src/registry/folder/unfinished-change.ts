import { hash, randomUUID } from 'node:crypto';
import { readdir, readFile, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { z } from 'zod';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { ApiFolder } from './api-folder.ts';
import { isLocked, whileLocked } from './project-lock.ts';
import { WAITING, type WaitingFile, waitingFiles, writeBeside } from './waiting-file.ts';

/** A file that is being changed, with its content before and after; undefined for no file. */
interface ChangedFile {
  readonly file: string;
  readonly earlier: WaitingFile | undefined;
  readonly text: string | undefined;
}

const NOTE = /^\.change\.[0-9a-f-]{36}\.json$/;

/**
 * For each file the name of the copy with its earlier content, and the digest of the new content; null for no
 * file. Paths are relative to the note's folder, which may be mounted elsewhere later.
 */
const UNFINISHED = z.object({
  files: z.array(
    z.object({
      file: z.string(),
      earlier: z.string().regex(WAITING).nullable(),
      later: z.string().nullable(),
    }),
  ),
});
type UnfinishedChange = z.infer<typeof UNFINISHED>;

/** Writes a note for undoing a change if the process ends early; returns the function that removes it. */
export async function noteUnfinished(
  folder: string,
  files: readonly ChangedFile[],
): Promise<() => Promise<void>> {
  const path = join(folder, `.change.${randomUUID()}.json`);
  const change: UnfinishedChange = {
    files: files.map(({ file, earlier, text }) => ({
      file: relative(folder, file),
      earlier: earlier === undefined ? null : basename(earlier.path),
      later: text === undefined ? null : digestOf(text),
    })),
  };
  const note = await writeBeside(path, `${JSON.stringify(change)}\n`);
  await note.put();
  return () => rm(path, { force: true });
}

/**
 * Undoes noted changes in a folder and removes an abandoned lock. Changes of a process that holds the lock
 * are left alone.
 */
export async function recoverProject(folder: ApiFolder): Promise<void> {
  const notes = await listNotes(folder.documents);
  if (notes.length === 0 && !(await isLocked(folder))) return;
  await whileLocked(folder, () => undoUnfinished(folder.documents), { waitMs: 0 }).catch((error: unknown) => {
    if (!(error instanceof GatewayError)) throw error;
  });
}

/**
 * Removes temporary files of processes that ended early. The lock ensures that no process is using one;
 * copies for a change that cannot be undone are kept.
 */
export async function clearWaiting(folder: ApiFolder, folders: readonly string[]): Promise<void> {
  const find = async () => (await Promise.all(folders.map(waitingFiles))).flat();
  if ((await find()).length === 0) return;
  const clear = async (): Promise<void> => {
    await undoUnfinished(folder.documents);
    if ((await listNotes(folder.documents)).length > 0) return;
    for (const path of await find()) await rm(path, { force: true });
  };
  await whileLocked(folder, clear, { waitMs: 0 });
}

/** Undoes noted changes in a folder. The caller must hold the lock. */
export async function undoUnfinished(folder: string): Promise<void> {
  for (const note of await listNotes(folder)) {
    const change = await readNote(note);
    if (change === undefined) continue;
    if (!change.files.every(({ file }) => isOfProject(folder, file))) continue;
    for (const { file, earlier, later } of change.files.toReversed()) {
      // Files that were changed since are left alone.
      if ((await presentDigest(resolve(folder, file))) !== later) continue;
      await putBack(resolve(folder, file), earlier ?? undefined);
    }
    await rm(note, { force: true });
  }
}

async function listNotes(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => NOTE.test(name)).map((name) => join(folder, name));
}

/** Whether the path is inside of the project, because the note may be crafted. */
function isOfProject(folder: string, file: string): boolean {
  return resolve(folder, file).startsWith(dirname(folder) + sep);
}

function digestOf(content: string | Buffer): string {
  return hash('sha256', content);
}

/** Null if the file does not exist. */
async function presentDigest(file: string): Promise<string | null> {
  const content = await readFile(file).catch(() => undefined);
  return content === undefined ? null : digestOf(content);
}

/** Undefined if another process has removed the note, or if it is invalid. */
async function readNote(path: string): Promise<UnfinishedChange | undefined> {
  try {
    return UNFINISHED.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return undefined;
  }
}

/** A missing copy was restored before. */
async function putBack(file: string, earlier: string | undefined): Promise<void> {
  if (earlier === undefined) return rm(file, { force: true });
  const target = await realpath(file).catch(() => file);
  await rename(join(dirname(target), earlier), target).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}
