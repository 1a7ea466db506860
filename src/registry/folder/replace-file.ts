import { randomBytes } from 'node:crypto';
import { chmod, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Puts a file with the text in the place of the one of that name, whole or not at all. A link stays one, and
 * what may be done with the file stays allowed.
 */
export async function replaceFile(path: string, text: string | Uint8Array): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const made = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const file = await open(made, 'wx', 0o644);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    const earlier = await stat(target).catch(() => undefined);
    if (earlier !== undefined) await chmod(made, earlier.mode & 0o777);
    await rename(made, target);
  } catch (error) {
    await rm(made, { force: true });
    throw error;
  }
}
