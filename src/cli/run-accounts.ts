import { randomBytes } from 'node:crypto';
import { readScope } from '../auth/keys/key-scope.ts';
import { invitationMessage } from '../auth/mail/account-mail.ts';
import type { openAdministration } from '../composition/auth-module.ts';
import { type Config, type Environment, localUrl, readConfig } from '../config/config.ts';
import { GatewayError } from '../contract/gateway-error.ts';
import type { AccountCommand } from './account-options.ts';
import { type ExitCode, type Io, reportingMistakes } from './command-io.ts';
import { readCommandConfig } from './project-environment.ts';
import { table, writeLines } from './text-table.ts';

type Administration = Awaited<ReturnType<typeof openAdministration>>;

const PASSWORD_BYTES = 15;

/** Runs a command on the accounts. */
export function runAccounts(command: AccountCommand, io: Io): Promise<ExitCode> {
  return reportingMistakes(io, async () => {
    const config = readCommandConfig(io);
    const administration = await openAccounts(config);
    try {
      const { readInput, environment } = io;
      const lines = await perform(command, { administration, config, readInput, environment });
      io.write(writeLines(lines), 'stdout');
      return true;
    } finally {
      await administration.close();
    }
  });
}

/** Throws a GatewayError with the reason if the database cannot be opened. */
async function openAccounts(config: Config): Promise<Administration> {
  // Loaded on demand, because other commands do not need it.
  const { openAdministration } = await import('../composition/auth-module.ts');
  return openAdministration(config);
}

/** Invites a user by mail; returns the sign-up URL if no mail is sent. */
async function invite(
  { email, roles, days }: Extract<AccountCommand, { kind: 'user invite' }>,
  administration: Administration,
  { port, baseUrl = localUrl('localhost', port), mail }: Config,
): Promise<readonly string[]> {
  const { invitationUrl } = await import('../auth/invitations/invitations.ts');
  const url = invitationUrl(baseUrl, { email, text: await administration.invite({ email, roles, days }) });
  if (mail === undefined) return [url];
  const { deliver } = await import('../auth/mail/mailer.ts');
  const refusal = await deliver(mail, invitationMessage({ email }, url, baseUrl));
  if (refusal === undefined) return [`The invitation was sent to ${email}.`];
  return [`The invitation could not be sent to ${email} (${refusal}). Pass on this address:`, url];
}

interface Means {
  readonly administration: Administration;
  readonly config: Config;
  readonly readInput: () => Promise<string>;
  readonly environment: Environment;
}

/** Executes the command; returns the lines to print. */
async function perform(
  command: AccountCommand,
  { administration, config, readInput, environment }: Means,
): Promise<readonly string[]> {
  switch (command.kind) {
    case 'secret replace':
      return replaceSecret(command, administration, environment);
    case 'user list':
      return listUsers(administration);
    case 'user invitations':
      return listInvitations(administration);
    case 'user invite':
      return invite(command, administration, config);
    case 'user add':
    case 'user password': {
      const password = await passwordOf(command, readInput);
      if (command.hasPassword) await administration.assertHardToGuess(password, command);
      if (command.kind === 'user add') await administration.addUser({ ...command, password });
      else await administration.setPassword(command.email, password);
      return command.hasPassword ? [] : [`The password of ${command.email} is ${password}`];
    }
    case 'key add':
      return [
        await administration.createKey(command.email, {
          name: command.name,
          expiresInDays: command.days,
          scope: command.scope && readScope(command.scope),
        }),
      ];
    case 'audit':
      return listAudit(administration, command);
    case 'key list':
      return listKeys(administration, command.email);
    default:
      await change(command, administration);
      return [];
  }
}

type SilentChange = Extract<
  AccountCommand,
  { kind: 'user role' | 'user disable' | 'user enable' | 'user remove' | 'user withdraw' | 'key revoke' }
>;

async function change(command: SilentChange, administration: Administration): Promise<void> {
  const { email } = command;
  switch (command.kind) {
    case 'user role':
      return administration.setRoles(email, command.roles);
    case 'user disable':
      return administration.disable(email);
    case 'user enable':
      return administration.enable(email);
    case 'user remove':
      if (!command.yes) await assertConfirmed(email, administration);
      return administration.removeUser(email);
    case 'user withdraw':
      return administration.withdrawInvitation(email);
    case 'key revoke':
      return administration.revokeKey(email, command.id);
  }
}

/** Throws a list of what would be deleted unless `--yes` is given. */
async function assertConfirmed(email: string, administration: Administration): Promise<void> {
  const keys = await administration.listKeys(email);
  const found = keys.map(({ name }) => name).join(', ') || 'none';
  const message = `The account ${email} would be removed, with its API keys: ${found}.\nTo do so, repeat the command with --yes.`;
  throw new GatewayError('Conflict', message);
}

/** Throws a list of what would be deleted unless `yes` is given. */
async function replaceSecret(
  { yes }: Extract<AccountCommand, { kind: 'secret replace' }>,
  administration: Administration,
  environment: Environment,
): Promise<readonly string[]> {
  const { auth } = readConfig({ ...environment, AUTH: 'required' });
  if (auth.mode === 'off') throw new GatewayError('BadRequest', 'There are no accounts with AUTH=off.');
  if (!yes) {
    const message =
      'The keys that tokens are signed with and the stored credentials for APIs would be deleted.\nTo do so, repeat the command with --yes.';
    throw new GatewayError('Conflict', message);
  }
  const number = await administration.replaceSecret(auth.secret);
  if (number === undefined) return ['AUTH_SECRET is the one of this database already: nothing was changed.'];
  return [
    `AUTH_SECRET is replaced; ${number} keys and credentials were deleted. Restart all instances with it.`,
  ];
}

interface PasswordCommand {
  readonly email: string;
  readonly hasPassword: boolean;
}

/** The password on the standard input, or a generated one. */
async function passwordOf(
  { hasPassword }: PasswordCommand,
  readInput: () => Promise<string>,
): Promise<string> {
  if (hasPassword) return (await readInput()).replace(/\r?\n$/, '');
  return randomBytes(PASSWORD_BYTES).toString('base64url');
}

const STATES = { active: '', waiting: 'waiting for approval', disabled: 'disabled' };

async function listUsers(administration: Administration): Promise<readonly string[]> {
  const users = await administration.listUsers();
  if (users.length === 0) return ['There are no accounts.'];
  return table([
    ['E-MAIL', 'NAME', 'ROLES', 'CREATED', 'LAST SIGN-IN', ''],
    ...users.map(({ email, name, roles, createdAt, lastSignInAt, state }) => [
      email,
      name,
      roles.join(' ') || '-',
      createdAt.toISOString().slice(0, 10),
      lastSignInAt?.toISOString().slice(0, 10) ?? '-',
      STATES[state],
    ]),
  ]);
}

async function listInvitations(administration: Administration): Promise<readonly string[]> {
  const invitations = await administration.listInvitations();
  if (invitations.length === 0) return ['There are no open invitations.'];
  return table([
    ['E-MAIL', 'ROLES', 'EXPIRES', 'INVITED BY'],
    ...invitations.map(({ email, roles, expiresAt, invitedBy }) => [
      email,
      roles.join(' '),
      expiresAt.toISOString().slice(0, 10),
      invitedBy ?? 'command line',
    ]),
  ]);
}

async function listKeys(administration: Administration, email: string): Promise<readonly string[]> {
  const keys = await administration.listKeys(email);
  if (keys.length === 0) return [`${email} has no API keys.`];
  return table([
    ['ID', 'STARTS WITH', 'NAME', 'CREATED', 'EXPIRES', 'LAST USED', 'SCOPE'],
    ...keys.map(({ id, start, name, createdAt, expiresAt, lastUsedAt, scope }) => [
      id,
      start,
      name,
      createdAt.slice(0, 10),
      expiresAt?.slice(0, 10) ?? 'never',
      lastUsedAt?.slice(0, 10) ?? 'never',
      scope === null
        ? 'all'
        : Object.entries(scope)
            .map(([resource, permissions]) => `${resource}:${permissions.join()}`)
            .join(' '),
    ]),
  ]);
}

async function listAudit(
  administration: Administration,
  { most, json }: Extract<AccountCommand, { kind: 'audit' }>,
): Promise<readonly string[]> {
  const events = await administration.listAudit(most);
  if (json) return events.map((event) => JSON.stringify(event));
  if (events.length === 0) return ['There are no entries.'];
  return table([
    ['WHEN', 'WHO', 'WHAT', 'TO', 'FROM'],
    ...events.map(({ at, actor, action, subject, refused, address }) => [
      at.slice(0, 19).replace('T', ' '),
      actor ?? '-',
      refused ? `${action}: refused` : action,
      subject ?? '-',
      address ?? '-',
    ]),
  ]);
}
