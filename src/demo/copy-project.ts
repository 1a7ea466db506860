import { cp } from 'node:fs/promises';
import { join } from 'node:path';

const REPOSITORY = join(import.meta.dirname, '../..');

/** The files of the sample projects. */
const PROJECTS = ['.meshrc.yaml', 'openapi', 'examples'] as const;

/** Copies the sample projects to another folder, so that what somebody registers in the demo is not in the repository. */
export async function copyProject(directory: string): Promise<void> {
  for (const name of PROJECTS) await cp(join(REPOSITORY, name), join(directory, name), { recursive: true });
}
