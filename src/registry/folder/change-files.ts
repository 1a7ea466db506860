import { mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ApiFolder } from './api-folder.ts';
import type { ProjectLock } from './project-lock.ts';
import { noteUnfinished, undoUnfinished } from './unfinished-change.ts';
import { copyBeside, type WaitingFile, writeBeside } from './waiting-file.ts';

/** The new content of files; undefined deletes a file. */
export type FileChanges = ReadonlyMap<string, string | undefined>;

/** A planned change; `earlier` is the content before, undefined for no file. */
interface PlannedChange {
  readonly file: string;
  readonly text: string | undefined;
  readonly earlier: WaitingFile | undefined;
  readonly later: WaitingFile | undefined;
}

/**
 * Changes several files of a project atomically and in order: if a change or the work afterwards fails, all
 * are restored and `restored` is called; if the process ends early, they are restored at the next start.
 * Everything that needs disk space is done before the first change. Throws Conflict before that if a file
 * differs from the lock's memory.
 */
export async function changeFiles(
  { documents }: Pick<ApiFolder, 'documents'>,
  lock: ProjectLock,
  changes: FileChanges,
  then: () => Promise<void>,
  restored: () => Promise<void>,
): Promise<void> {
  const planned: PlannedChange[] = [];
  const made: PlannedChange[] = [];
  let forgetNote = async (): Promise<void> => undefined;
  await undoUnfinished(documents);
  try {
    for (const [file, text] of changes) planned.push(await planChange(file, text));
    // A single file is replaced atomically anyway.
    if (planned.length > 1) forgetNote = await noteUnfinished(documents, planned);
    await lock.assertUnchanged(changes.keys());
    for (const change of planned) {
      made.push(change);
      await put(change.file, change.later);
    }
    await then();
    await forgetNote();
  } catch (error) {
    // A process that has taken over the lock has undone the change with its note.
    if (made.length > 0 && !(await lock.isHeld())) throw error;
    for (const { file, earlier } of made.toReversed()) await put(file, earlier);
    await forgetNote();
    if (made.length > 0) await restored();
    throw error;
  } finally {
    for (const { earlier, later } of planned) for (const file of [earlier, later]) await file?.discard();
  }
}

async function planChange(file: string, text: string | undefined): Promise<PlannedChange> {
  await mkdir(dirname(file), { recursive: true });
  const earlier = await copyBeside(file, text === undefined);
  try {
    return { file, text, earlier, later: text === undefined ? undefined : await writeBeside(file, text) };
  } catch (error) {
    await earlier?.discard();
    throw error;
  }
}

async function put(file: string, content: WaitingFile | undefined): Promise<void> {
  if (content === undefined) await rm(file, { force: true });
  else await content.put();
}
