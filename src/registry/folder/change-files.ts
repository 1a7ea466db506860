import { mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ApiFolder } from './api-folder.ts';
import type { ProjectLock } from './project-lock.ts';
import { noteUnfinished, undoUnfinished } from './unfinished-change.ts';
import { copyBeside, type WaitingFile, writeBeside } from './waiting-file.ts';

/** What a file is to hold; undefined for no file. */
export type FileChanges = ReadonlyMap<string, string | undefined>;

/** A change that has not been made; what there is of a file, undefined for nothing. */
interface PlannedChange {
  readonly file: string;
  readonly text: string | undefined;
  readonly earlier: WaitingFile | undefined;
  readonly later: WaitingFile | undefined;
}

/**
 * Changes files of a project all together, in their order: where one of them cannot be changed, or what is done then
 * fails, they are as they were, and `restored` is called; where the process ends before all is done, they are as they
 * were from the next start on. All that needs room on the disk is done before the first is changed. Throws Conflict
 * before that if one of them no longer holds what the lock remembers of it.
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
    // One file is changed whole or not at all.
    if (planned.length > 1) forgetNote = await noteUnfinished(documents, planned);
    await lock.assertUnchanged(changes.keys());
    for (const change of planned) {
      made.push(change);
      await put(change.file, change.later);
    }
    await then();
    await forgetNote();
  } catch (error) {
    // A process that has taken the lock over has undone the change by its note.
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
