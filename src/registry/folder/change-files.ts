import { randomBytes } from 'node:crypto';
import { chmod, copyFile, mkdir, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** What a file is to hold; undefined for no file. */
export type FileChanges = ReadonlyMap<string, string | undefined>;

/** A change that has not been made; what there is of a file, undefined for nothing. */
interface PlannedChange {
  readonly file: string;
  readonly earlier: WaitingFile | undefined;
  readonly later: WaitingFile | undefined;
}

/**
 * Changes files all together, in their order: where one of them cannot be changed, or what is done then fails, they are
 * as they were, and `restored` is called. All that needs room on the disk is done before the first is changed.
 */
export async function changeFiles(
  changes: FileChanges,
  then: () => Promise<void>,
  restored: () => Promise<void>,
): Promise<void> {
  const planned: PlannedChange[] = [];
  const made: PlannedChange[] = [];
  try {
    for (const [file, text] of changes) planned.push(await planChange(file, text));
    for (const change of planned) {
      made.push(change);
      await put(change.file, change.later);
    }
    await then();
  } catch (error) {
    for (const { file, earlier } of made.toReversed()) await put(file, earlier);
    if (made.length > 0) await restored();
    throw error;
  } finally {
    for (const { earlier, later } of planned) for (const file of [earlier, later]) await file?.discard();
  }
}

async function planChange(file: string, text: string | undefined): Promise<PlannedChange> {
  await mkdir(dirname(file), { recursive: true });
  const isThere = (await stat(file).catch(() => undefined)) !== undefined;
  const earlier = isThere ? await copyBeside(file) : undefined;
  try {
    return { file, earlier, later: text === undefined ? undefined : await writeBeside(file, text) };
  } catch (error) {
    await earlier?.discard();
    throw error;
  }
}

async function put(file: string, content: WaitingFile | undefined): Promise<void> {
  if (content === undefined) await rm(file, { force: true });
  else await content.put();
}

/** A file that waits beside another one, to take its place. */
interface WaitingFile {
  /** Puts it into the other's place, whole or not at all. */
  readonly put: () => Promise<void>;
  readonly discard: () => Promise<void>;
}

/**
 * Writes a file that can take the place of the one of that name. A link stays one, and what may be done with the file
 * stays allowed.
 */
async function writeBeside(path: string, text: string): Promise<WaitingFile> {
  const target = await realpath(path).catch(() => path);
  return waitBeside(target, async (made) => {
    const file = await open(made, 'wx', 0o644);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    const earlier = await stat(target).catch(() => undefined);
    if (earlier !== undefined) await chmod(made, earlier.mode & 0o777);
  });
}

/** Keeps a file as it is, to be put back. */
async function copyBeside(path: string): Promise<WaitingFile> {
  const target = await realpath(path);
  return waitBeside(target, (made) => copyFile(target, made));
}

async function waitBeside(target: string, make: (path: string) => Promise<void>): Promise<WaitingFile> {
  const made = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}.tmp`);
  const discard = () => rm(made, { force: true });
  const orDiscard = async (act: Promise<void>): Promise<void> => {
    try {
      await act;
    } catch (error) {
      await discard();
      throw error;
    }
  };
  await orDiscard(make(made));
  return { put: () => orDiscard(rename(made, target)), discard };
}

const WAITING = /^\..+\.[0-9a-f]{12}\.tmp$/;
/** A younger one may be another instance's, which is about to put it. */
const LEFT_MS = 60_000;

/** Removes files that have waited in a folder since a process ended before it could put them. */
export async function clearWaiting(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const path of names.filter((name) => WAITING.test(name)).map((name) => join(folder, name))) {
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (Date.now() - mtimeMs > LEFT_MS) await rm(path, { force: true });
  }
}
