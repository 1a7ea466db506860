import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Why the project's files cannot be changed, as a sentence; undefined where they can. */
export function whyNotWritable(projectFile: string, apiFolder: string): string | undefined {
  const folder = statSync(apiFolder, { throwIfNoEntry: false });
  if (folder !== undefined && !folder.isDirectory())
    return 'There is a file in the place of the folder openapi/.';
  // Files are replaced whole: what counts is the folder that they are in.
  const places = [dirname(projectFile), ...(folder === undefined ? [] : [apiFolder])];
  if (places.every(isWritable)) return undefined;
  return 'The folder of the project is read-only: change the files where they come from.';
}

/** Whoever takes all rights to write away means everybody, also the user that nothing is refused to. */
function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return (statSync(folder).mode & 0o222) !== 0;
  } catch {
    return false;
  }
}
