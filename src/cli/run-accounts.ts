import { randomBytes } from 'node:crypto';
import type { openAdministration } from '../app.ts';
import { readConfig } from '../config/config.ts';
import { GatewayError } from '../contract/gateway-error.ts';
import type { AccountCommand } from './account-options.ts';
import type { Environment } from './derive-model.ts';
import { table, writeLines } from './text-table.ts';

type Administration = Awaited<ReturnType<typeof openAdministration>>;

interface AccountIo {
  readonly environment: Environment;
  readonly write: (text: string, output: 'stdout' | 'stderr') => void;
  readonly readInput: () => Promise<string>;
}

const PASSWORD_BYTES = 15;

/** Does what the command says to the accounts; comes back with whether it was done. */
export async function runAccounts(
  command: Exclude<AccountCommand, { kind: 'help' }>,
  { environment, write, readInput }: AccountIo,
): Promise<boolean> {
  let administration: Administration | undefined;
  try {
    administration = await openAccounts(environment);
    write(writeLines(await perform(command, administration, readInput)), 'stdout');
    return true;
  } catch (error) {
    if (!(error instanceof GatewayError || error instanceof AggregateError)) throw error;
    write(`${error.message}\n`, 'stderr');
    return false;
  } finally {
    await administration?.close();
  }
}

/** An AggregateError tells what is wrong with the settings, a GatewayError why the database cannot be opened. */
async function openAccounts(environment: Environment): Promise<Administration> {
  const config = readConfig({ ...environment, AUTH: 'off', HOST: '' });
  // Most of what it loads is only needed here.
  const { openAdministration } = await import('../app.ts');
  return openAdministration(config);
}

/** What there is to say when it is done. */
async function perform(
  command: Exclude<AccountCommand, { kind: 'help' }>,
  administration: Administration,
  readInput: () => Promise<string>,
): Promise<readonly string[]> {
  switch (command.kind) {
    case 'user add': {
      const { email, name, roles } = command;
      const password = await passwordOf(command, readInput);
      await administration.addUser({ email, name, roles, password });
      return told(command, password);
    }
    case 'user list':
      return listUsers(administration);
    case 'user password': {
      const password = await passwordOf(command, readInput);
      await administration.setPassword(command.email, password);
      return told(command, password);
    }
    case 'user role':
      await administration.setRoles(command.email, command.roles);
      return [];
    case 'user disable':
      await administration.disable(command.email);
      return [];
    case 'user enable':
      await administration.enable(command.email);
      return [];
    case 'user remove':
      await administration.removeUser(command.email);
      return [];
    case 'key add':
      return [await administration.createKey(command.email, command.name, command.days)];
    case 'key list':
      return listKeys(administration, command.email);
    case 'key revoke':
      await administration.revokeKey(command.email, command.id);
      return [];
  }
}

interface PasswordCommand {
  readonly email: string;
  readonly hasPassword: boolean;
}

/** The line that stands in the standard input, or a new one. */
async function passwordOf(
  { hasPassword }: PasswordCommand,
  readInput: () => Promise<string>,
): Promise<string> {
  if (hasPassword) return (await readInput()).replace(/\r?\n$/, '');
  return randomBytes(PASSWORD_BYTES).toString('base64url');
}

function told({ email, hasPassword }: PasswordCommand, password: string): readonly string[] {
  return hasPassword ? [] : [`The password of ${email} is ${password}`];
}

async function listUsers(administration: Administration): Promise<readonly string[]> {
  const users = await administration.listUsers();
  if (users.length === 0) return ['There are no accounts.'];
  return table([
    ['E-MAIL', 'NAME', 'ROLES', 'MADE', ''],
    ...users.map(({ email, name, roles, createdAt, disabled }) => [
      email,
      name,
      roles.join(' ') || '-',
      createdAt.toISOString().slice(0, 10),
      disabled ? 'disabled' : '',
    ]),
  ]);
}

async function listKeys(administration: Administration, email: string): Promise<readonly string[]> {
  const keys = await administration.listKeys(email);
  if (keys.length === 0) return [`${email} has no API keys.`];
  return table([
    ['ID', 'BEGINS WITH', 'NAME', 'MADE', 'GOOD UNTIL'],
    ...keys.map(({ id, start, name, createdAt, expiresAt }) => [
      id,
      start,
      name,
      createdAt.slice(0, 10),
      expiresAt?.slice(0, 10) ?? 'revoked',
    ]),
  ]);
}
