import type { Command } from 'commander';
import { isRoleName, USER } from '../contract/principal.ts';
import { UsageError } from './usage-error.ts';

export type AccountCommand =
  | {
      readonly kind: 'user add';
      readonly email: string;
      readonly name: string;
      readonly roles: readonly string[];
      readonly hasPassword: boolean;
    }
  | { readonly kind: 'user role'; readonly email: string; readonly roles: readonly string[] }
  | {
      readonly kind: 'user invite';
      readonly email: string;
      readonly roles: readonly string[];
      readonly days: number;
    }
  | { readonly kind: 'user list' | 'user invitations' }
  | { readonly kind: 'user withdraw'; readonly email: string }
  | { readonly kind: 'user password'; readonly email: string; readonly hasPassword: boolean }
  | { readonly kind: 'user disable' | 'user enable'; readonly email: string }
  | {
      readonly kind: 'user remove';
      readonly email: string;
      /** True if `--yes` was given. */
      readonly yes: boolean;
    }
  | {
      readonly kind: 'secret replace';
      readonly yes: boolean;
    }
  | { readonly kind: 'audit'; readonly most: number; readonly json: boolean }
  | { readonly kind: 'key list'; readonly email: string }
  | {
      readonly kind: 'key add';
      readonly email: string;
      readonly name: string;
      readonly days: number | undefined;
      /** Permissions by resource; undefined for all permissions of the user. */
      readonly scope: Readonly<Record<string, readonly string[]>> | undefined;
    }
  | { readonly kind: 'key revoke'; readonly email: string; readonly id: string };

type Choose = (command: AccountCommand) => void;

const PASSWORD_STDIN = ['--password-stdin', 'read the password from standard input'] as const;

interface PasswordOption {
  readonly passwordStdin?: boolean;
}

interface NewUserOptions extends PasswordOption {
  readonly name?: string;
  readonly role?: readonly string[];
}

interface InvitationOptions {
  readonly role?: readonly string[];
  readonly days: string;
}

interface NewKeyOptions {
  readonly name: string;
  readonly days?: string;
  readonly scope?: readonly string[];
}

export function addUserCommands(program: Command, choose: Choose): void {
  const user = program
    .command('user')
    .summary('manages accounts, roles and invitations')
    .description(
      `Manages accounts, in the database that DATABASE_URL names. A running gateway notices changes within ten
seconds. Tokens issued before stay valid for five minutes at most.`,
    );
  addNewUserCommand(user, choose);
  addInvitationCommands(user, choose);
  user
    .command('list')
    .description('Lists all accounts with their roles.')
    .action(() => choose({ kind: 'user list' }));
  addUserChangeCommands(user, choose);
}

const ROLE = [
  '--role <ROLE>',
  'a role of the user, which grants refer to; may be repeated (default: User)',
  collect,
] as const;

function addNewUserCommand(user: Command, choose: Choose): void {
  user
    .command('add <EMAIL>')
    .summary('creates an account')
    .description(
      'Creates an account and prints its password, unless the password is read from standard input.',
    )
    .option('--name <NAME>', 'the name of the user (default: the part of EMAIL before the @)')
    .option(...ROLE)
    .option(...PASSWORD_STDIN)
    .action((email: string, { name, role = [USER], passwordStdin }: NewUserOptions) =>
      choose({
        kind: 'user add',
        email: emailOf(email),
        name: printable(name ?? email.slice(0, email.indexOf('@'))),
        roles: role.map(roleOf),
        hasPassword: passwordStdin ?? false,
      }),
    );
}

function addInvitationCommands(user: Command, choose: Choose): void {
  user
    .command('invite <EMAIL>')
    .summary('invites someone to sign up, by mail or with a link to pass on')
    .description(
      `Sends an invitation to that e-mail address if SMTP_URL is set; otherwise prints the address below BASE_URL
to pass on. The recipient can sign up with it once, even if SIGN_UP is invite. It replaces an earlier invitation.`,
    )
    .option(...ROLE)
    .option('--days <DAYS>', 'days until it expires', '7')
    .action((email: string, { role = [USER], days }: InvitationOptions) =>
      choose({
        kind: 'user invite',
        email: emailOf(email),
        roles: role.map(roleOf),
        days: daysOf(days) ?? 7,
      }),
    );
  user
    .command('invitations')
    .description('Lists the open invitations.')
    .action(() => choose({ kind: 'user invitations' }));
  user
    .command('withdraw <EMAIL>')
    .description('Withdraws the invitation for that e-mail address.')
    .action((email: string) => choose({ kind: 'user withdraw', email: emailOf(email) }));
}

function addUserChangeCommands(user: Command, choose: Choose): void {
  user
    .command('role <EMAIL> <ROLE...>')
    .description('Sets the roles of an account. Roles that are not listed are removed.')
    .action((email: string, roles: readonly string[]) =>
      choose({ kind: 'user role', email: emailOf(email), roles: roles.map(roleOf) }),
    );
  user
    .command('password <EMAIL>')
    .summary('sets a new password')
    .description('Sets a new password, prints it, and signs the user out everywhere. No mail is sent.')
    .option(...PASSWORD_STDIN)
    .action((email: string, { passwordStdin }: PasswordOption) =>
      choose({ kind: 'user password', email: emailOf(email), hasPassword: passwordStdin ?? false }),
    );
  for (const [verb, does] of USER_CHANGES) {
    user
      .command(`${verb} <EMAIL>`)
      .description(does)
      .action((email: string) => choose({ kind: `user ${verb}`, email: emailOf(email) }));
  }
  user
    .command('remove <EMAIL>')
    .description('Deletes the account and its API keys.')
    .option('--yes', 'delete it; without, only print what would be deleted')
    .action((email: string, { yes = false }: { readonly yes?: boolean }) =>
      choose({ kind: 'user remove', email: emailOf(email), yes }),
    );
}

const USER_CHANGES = [
  ['disable', 'Locks the user out: password, sessions and API keys stop working.'],
  ['enable', 'Lets the user in again.'],
] as const;

export function addKeyCommands(program: Command, choose: Choose): void {
  const key = program
    .command('key')
    .summary('creates, lists and revokes API keys')
    .description('Manages the API keys of an account, for programs that cannot sign in.');
  key
    .command('add <EMAIL>')
    .description('Creates a key and prints it. It is not shown again.')
    .option('--name <NAME>', 'what the key is for', 'duogate key')
    .option('--days <DAYS>', 'days until it expires (default: never)')
    .option(
      '--scope <ENTITY:RIGHT,...>',
      'what the key may do, such as Post:View,Insert or *:View; may be repeated (default: whatever the user may do)',
      collect,
    )
    .action((email: string, { name, days, scope }: NewKeyOptions) =>
      choose({
        kind: 'key add',
        email: emailOf(email),
        name: printable(name),
        days: daysOf(days),
        scope: scope && scopeOf(scope),
      }),
    );
  key
    .command('list <EMAIL>')
    .description('Lists the keys of an account.')
    .action((email: string) => choose({ kind: 'key list', email: emailOf(email) }));
  key
    .command('revoke <EMAIL> <ID>')
    .description('Revokes a key.')
    .action((email: string, id: string) => choose({ kind: 'key revoke', email: emailOf(email), id }));
}

export function addAuditCommand(program: Command, choose: Choose): void {
  program
    .command('audit')
    .summary('lists who has signed in and who has changed what')
    .description(
      `Lists who has signed in, or tried to, and who has changed accounts, keys and APIs, latest first. Entries are
kept for AUDIT_DAYS (90) in the database that DATABASE_URL names.`,
    )
    .option('--last <NUMBER>', 'number of entries', '50')
    .option('--json', 'print the entries as JSON, one per line')
    .action(({ last, json = false }: { readonly last: string; readonly json?: boolean }) =>
      choose({ kind: 'audit', most: mostOf(last), json }),
    );
}

export function addSecretCommands(program: Command, choose: Choose): void {
  program
    .command('secret')
    .summary('replaces a lost AUTH_SECRET')
    .description('Manages the secret that the accounts database is used with.')
    .command('replace')
    .summary('has the database accept another AUTH_SECRET')
    .description(
      `Has the accounts database accept the AUTH_SECRET that is set now. What only the earlier secret decrypts is
deleted: the keys that tokens are signed with, and stored credentials for APIs. Restart all instances with the new one.`,
    )
    .option('--yes', 'do it; without, only print what would be deleted')
    .action(({ yes = false }: { readonly yes?: boolean }) => choose({ kind: 'secret replace', yes }));
}

function mostOf(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new UsageError(`NUMBER must be a whole number from 1 to 999999, not ${JSON.stringify(text)}.`);
}

/** Collects the values of a repeatable option. */
export function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}

function emailOf(email: string): string {
  if (email.length <= 254 && /^[^\s@\p{C}]+@[^\s@\p{C}]+\.[^\s@\p{C}]+$/u.test(email)) return email;
  throw new UsageError(`${JSON.stringify(email)} is not an e-mail address.`);
}

export function roleOf(role: string): string {
  if (isRoleName(role)) return role;
  throw new UsageError(`${JSON.stringify(role)} is not a valid role name.`);
}

function printable(name: string): string {
  if (/^[^\p{C}]{1,100}$/u.test(name) && name.trim() !== '') return name;
  throw new UsageError('A NAME has 1 to 100 printable characters.');
}

/** The permissions by entity from texts such as `Post:View,Insert`; repeated entities are merged. */
function scopeOf(texts: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const entries = texts.map(scopeEntry);
  const named = new Set(entries.map(([entity]) => entity));
  return Object.fromEntries(
    [...named].map((name) => [name, entries.flatMap(([entity, rights]) => (entity === name ? rights : []))]),
  );
}

function scopeEntry(text: string): readonly [entity: string, rights: readonly string[]] {
  const [, entity = '', rights = ''] = /^(.+):(.+)$/.exec(text) ?? [];
  if (entity === '') throw new UsageError(`A scope is written as ENTITY:RIGHT, not ${JSON.stringify(text)}.`);
  return [entity, rights.split(',')];
}

function daysOf(days: string | undefined): number | undefined {
  if (days === undefined) return undefined;
  if (/^[1-9]\d{0,3}$/.test(days)) return Number(days);
  throw new UsageError(`DAYS must be a whole number from 1 to 9999, not ${JSON.stringify(days)}.`);
}
