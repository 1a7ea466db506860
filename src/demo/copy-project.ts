import { cp } from 'node:fs/promises';
import { join } from 'node:path';

const REPOSITORY = join(import.meta.dirname, '../..');

/** The project files of the samples, and the folder of their documents. */
const PROJECT = ['.meshrc.yaml', 'openapi'] as const;

/** Copies the project to another folder, so that what somebody registers in the demo is not in the repository. */
export async function copyProject(directory: string): Promise<void> {
  for (const name of PROJECT) await cp(join(REPOSITORY, name), join(directory, name), { recursive: true });
}
