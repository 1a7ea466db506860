import { existsSync } from 'node:fs';
import type { AuditedAct } from '../contract/audit.ts';
import { GatewayError } from '../contract/gateway-error.ts';
import type { Io } from './command-io.ts';
import { readCommandConfig } from './project-environment.ts';

/**
 * Records the changes of a command in the audit log, which exists once a gateway has created its database.
 * Failures are reported and do not undo the change.
 */
export async function auditChanges(
  acts: readonly AuditedAct[],
  { environment, directory, write }: Pick<Io, 'environment' | 'directory' | 'write'>,
): Promise<void> {
  if (acts.length === 0 || environment['AUTH'] === 'off') return;
  const config = readCommandConfig({ environment, directory });
  if (config.database.kind === 'sqlite' && !existsSync(config.database.path)) return;
  // Loaded on demand, because other commands do not need it.
  const { openAdministration } = await import('../composition/auth-module.ts');
  try {
    const administration = await openAdministration(config);
    for (const act of acts) administration.noteChange(act);
    await administration.close();
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    write(`The change is not in the audit log. ${error.message}\n`, 'stderr');
  }
}
