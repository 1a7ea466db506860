import { existsSync } from 'node:fs';
import type { AuditedAct } from '../contract/audit.ts';
import { GatewayError } from '../contract/gateway-error.ts';
import type { Io } from './command-io.ts';
import { readCommandConfig } from './project-environment.ts';

/**
 * Enters what a command has changed in the files of a project in the audit log. There is none before a gateway has
 * made its database. What keeps it from being written is told, and does not undo the change.
 */
export async function auditChanges(
  acts: readonly AuditedAct[],
  { environment, directory, write }: Pick<Io, 'environment' | 'directory' | 'write'>,
): Promise<void> {
  if (acts.length === 0 || environment['AUTH'] === 'off') return;
  const config = readCommandConfig({ environment, directory });
  if (config.database.kind === 'sqlite' && !existsSync(config.database.path)) return;
  // Most of what it loads is only needed here.
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
