import { hash, randomUUID } from 'node:crypto';
import { readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { z } from 'zod';
import { WAITING, type WaitingFile, writeBeside } from './waiting-file.ts';

/** A file that is being changed, what there was of it, and what it is to hold; undefined for no file. */
interface ChangedFile {
  readonly file: string;
  readonly earlier: WaitingFile | undefined;
  readonly text: string | undefined;
}

/** An id of this process: in a container, one process after another has the same number. */
const LIFE = randomUUID();

const NOTE = /^\.change\.[0-9a-f-]{36}\.json$/;

/**
 * Who makes a change, and of each file the name of the copy beside it of what there was, and the digest of what it is to
 * hold; null for no file. Paths are relative to the note's folder: it may be mounted elsewhere the next time.
 */
const UNFINISHED = z.object({
  host: z.string(),
  pid: z.number(),
  life: z.string(),
  files: z.array(
    z.object({
      file: z.string(),
      earlier: z.string().regex(WAITING).nullable(),
      later: z.string().nullable(),
    }),
  ),
});
type UnfinishedChange = z.infer<typeof UNFINISHED>;

/** Notes in a folder how to undo a change, should the process end in its midst; resolves with the way to take the note away. */
export async function noteUnfinished(
  folder: string,
  files: readonly ChangedFile[],
): Promise<() => Promise<void>> {
  const path = join(folder, `.change.${randomUUID()}.json`);
  const change: UnfinishedChange = {
    host: hostname(),
    pid: process.pid,
    life: LIFE,
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

/** Undoes the changes that are noted in a folder and whose processes have ended in their midst. */
export async function undoUnfinished(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const note of names.filter((name) => NOTE.test(name)).map((name) => join(folder, name))) {
    const change = await readNote(note);
    if (change === undefined || (await mayBeUnderWay(change, note))) continue;
    if (!change.files.every(({ file }) => isOfProject(folder, file))) continue;
    for (const { file, earlier, later } of change.files.toReversed()) {
      // What somebody has changed since is theirs.
      if ((await presentDigest(resolve(folder, file))) !== later) continue;
      await putBack(resolve(folder, file), earlier ?? undefined);
    }
    await rm(note, { force: true });
  }
}

/** The note of a project that somebody else has made may not reach out of it. */
function isOfProject(folder: string, file: string): boolean {
  return resolve(folder, file).startsWith(dirname(folder) + sep);
}

function digestOf(content: string | Buffer): string {
  return hash('sha256', content);
}

/** Null where there is no file. */
async function presentDigest(file: string): Promise<string | null> {
  const content = await readFile(file).catch(() => undefined);
  return content === undefined ? null : digestOf(content);
}

/** Undefined where another process has just taken it away, or somebody has changed it by hand. */
async function readNote(path: string): Promise<UnfinishedChange | undefined> {
  try {
    return UNFINISHED.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return undefined;
  }
}

/** Longer than any change takes: a project is examined for two minutes at most. */
const LONGEST_CHANGE_MS = 180_000;

async function mayBeUnderWay({ host, pid, life }: UnfinishedChange, note: string): Promise<boolean> {
  if (life === LIFE) return true;
  if (host === hostname() && (pid === process.pid || !isRunning(pid))) return false;
  const { mtimeMs } = await stat(note).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
  return Date.now() - mtimeMs < LONGEST_CHANGE_MS;
}

/** Whether there is a process of that number, whosoever it is. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** A copy that is not beside the file any more has been put back before. */
async function putBack(file: string, earlier: string | undefined): Promise<void> {
  if (earlier === undefined) return rm(file, { force: true });
  const target = await realpath(file).catch(() => file);
  await rename(join(dirname(target), earlier), target).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}
