import { randomBytes } from 'node:crypto';
import {
  chmod,
  copyFile,
  open,
  readdir,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** A temporary file that can replace another. */
export interface WaitingFile {
  /** The path of the temporary file. */
  readonly path: string;
  /** Replaces the other file atomically. */
  readonly put: () => Promise<void>;
  readonly discard: () => Promise<void>;
}

/** Writes a replacement for a file. Links and permissions are preserved. */
export async function writeBeside(path: string, text: string): Promise<WaitingFile> {
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

/**
 * Copies a file for a later restore; undefined if it does not exist. With `isRemoved`, a link itself is
 * copied, because its target remains.
 */
export async function copyBeside(path: string, isRemoved: boolean): Promise<WaitingFile | undefined> {
  const link = isRemoved ? await readlink(path).catch(() => undefined) : undefined;
  if (link !== undefined) return waitBeside(path, (made) => symlink(link, made));
  const target = await realpath(path).catch(() => undefined);
  if (target === undefined) return undefined;
  return waitBeside(target, async (made) => {
    await copyFile(target, made);
    const file = await open(made, 'r+');
    await file.sync().finally(() => file.close());
  });
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
  return { path: made, put: () => orDiscard(rename(made, target)), discard };
}

/** The names of temporary files, without the path. */
export const WAITING = /^\.[^/\\]+\.[0-9a-f]{12}\.tmp$/;

/** The paths of temporary files in a folder. */
export async function waitingFiles(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => WAITING.test(name)).map((name) => join(folder, name));
}
