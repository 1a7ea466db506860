import { openAdministration } from '../../src/composition/auth-module.ts';
import { readConfig } from '../../src/config/config.ts';
import { ACCESS, PASSWORD } from '../auth/account-client.ts';
import type { TemporaryProject } from './temporary-project.ts';

/** Makes accounts for a project, each with these roles; comes back with the environment of a gateway that has them. */
export async function createProjectAccounts(
  project: TemporaryProject,
  accounts: Readonly<Record<string, readonly string[]>>,
): Promise<Readonly<Record<string, string>>> {
  const environment = { ...ACCESS, DATABASE_URL: project.path('accounts.sqlite') };
  const administration = await openAdministration(
    readConfig({ ...environment, MESH_CONFIG: project.path('.meshrc.yaml') }),
  );
  for (const [email, roles] of Object.entries(accounts)) {
    await administration.addUser({ email, name: 'Ada', roles, password: PASSWORD });
  }
  await administration.close();
  return environment;
}
