import { openAdministration } from '../../src/composition/auth-module.ts';
import type { Config } from '../../src/config/config.ts';
import { PASSWORD } from '../auth/account-client.ts';

/** With an account, and without a role. */
export const NOBODY = 'nobody';

/** Makes an account for each of the roles; an API key of each. */
export async function roleKeys(
  config: Config,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const administration = await openAdministration(config);
  const keys = new Map<string, string>();
  for (const role of names) {
    const email = `${role.toLowerCase()}@example.com`;
    const roles = role === NOBODY ? [] : [role];
    await administration.addUser({ email, name: role, roles, password: PASSWORD });
    keys.set(role, await administration.createKey(email, { name: 'test' }));
  }
  await administration.close();
  return keys;
}
