import type { Command } from 'commander';
import { isRoleName, USER } from '../contract/roles.ts';
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
      /** It has been said what goes. */
      readonly yes: boolean;
    }
  | { readonly kind: 'audit'; readonly most: number; readonly json: boolean }
  | { readonly kind: 'key list'; readonly email: string }
  | {
      readonly kind: 'key add';
      readonly email: string;
      readonly name: string;
      readonly days: number | undefined;
      /** Resource to what may be done with it; undefined for all that the user may do. */
      readonly scope: Readonly<Record<string, readonly string[]>> | undefined;
    }
  | { readonly kind: 'key revoke'; readonly email: string; readonly id: string };

type Choose = (command: AccountCommand) => void;

const PASSWORD_STDIN = ['--password-stdin', 'read the password from the standard input'] as const;

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
    .summary('adds accounts, sets their roles, disables them')
    .description(
      `Sees to accounts, in the database that DATABASE_URL names; the gateway may be running, and hears of it
within ten seconds. Tokens that were given out before are good for five minutes at most.`,
    );
  user
    .command('add <EMAIL>')
    .summary('makes an account')
    .description('Makes an account and prints its password, unless that comes from the standard input.')
    .option('--name <NAME>', 'what to call the user; the part of EMAIL in front of the @ otherwise')
    .option('--role <ROLE>', 'what the user may do, by the grants; may be repeated; User otherwise', collect)
    .option(...PASSWORD_STDIN)
    .action((email: string, { name, role, passwordStdin }: NewUserOptions) =>
      choose({
        kind: 'user add',
        email: emailOf(email),
        name: printable(name ?? email.slice(0, email.indexOf('@'))),
        roles: (role ?? [USER]).map(roleOf),
        hasPassword: passwordStdin ?? false,
      }),
    );
  user
    .command('invite <EMAIL>')
    .summary('invites somebody to sign up, by mail or by an address to pass on')
    .description(
      `Sends an invitation to that e-mail address if SMTP_URL is set; otherwise prints the address below BASE_URL to pass on.
Whoever has it can sign up once, even if SIGN_UP is invite. It replaces an earlier invitation.`,
    )
    .option('--role <ROLE>', 'what the user may do, by the grants; may be repeated; User otherwise', collect)
    .option('--days <DAYS>', 'how long it is good', '7')
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
    .description('Lists the invitations that nobody has used yet and that are still good.')
    .action(() => choose({ kind: 'user invitations' }));
  user
    .command('withdraw <EMAIL>')
    .description('Makes the invitation of that e-mail address good for nothing.')
    .action((email: string) => choose({ kind: 'user withdraw', email: emailOf(email) }));
  user
    .command('list')
    .description('Lists all accounts with their roles.')
    .action(() => choose({ kind: 'user list' }));
  user
    .command('role <EMAIL> <ROLE...>')
    .description('Sets the roles of an account; those that are not named are taken away.')
    .action((email: string, roles: readonly string[]) =>
      choose({ kind: 'user role', email: emailOf(email), roles: roles.map(roleOf) }),
    );
  user
    .command('password <EMAIL>')
    .summary('sets another password')
    .description('Sets another password, prints it, and signs the user out everywhere; nothing is mailed.')
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
    .description('Removes the account with its API keys.')
    .option('--yes', 'does it; what goes is told otherwise')
    .action((email: string, { yes = false }: { readonly yes?: boolean }) =>
      choose({ kind: 'user remove', email: emailOf(email), yes }),
    );
}

const USER_CHANGES = [
  ['disable', 'Lets the user in no more, whether by password, session or API key.'],
  ['enable', 'Lets the user in again.'],
] as const;

export function addKeyCommands(program: Command, choose: Choose): void {
  const key = program
    .command('key')
    .summary('makes, lists and revokes API keys of accounts')
    .description('Sees to the API keys of an account, for programs that cannot sign in.');
  key
    .command('add <EMAIL>')
    .description('Makes a key and prints it, this once.')
    .option('--name <NAME>', 'what the key is for', 'duogate key')
    .option('--days <DAYS>', 'how long it is good; until it is revoked otherwise')
    .option(
      '--scope <ENTITY:RIGHT,...>',
      'what it is good for, such as Post:View,Insert or *:View; may be repeated; all that the user may do otherwise',
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
    .description('Makes a key good for nothing.')
    .action((email: string, id: string) => choose({ kind: 'key revoke', email: emailOf(email), id }));
}

export function addAuditCommand(program: Command, choose: Choose): void {
  program
    .command('audit')
    .summary('lists who has signed in and who has changed what')
    .description(
      `Lists who has signed in, or tried to, and who has changed accounts, keys and APIs, the latest first. It is kept
for AUDIT_DAYS, 90 otherwise, in the database that DATABASE_URL names.`,
    )
    .option('--last <NUMBER>', 'how many', '50')
    .option('--json', 'as JSON, one line for each')
    .action(({ last, json = false }: { readonly last: string; readonly json?: boolean }) =>
      choose({ kind: 'audit', most: mostOf(last), json }),
    );
}

function mostOf(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new UsageError(`NUMBER is a whole number from 1 to 999999, not ${JSON.stringify(text)}.`);
}

/** What an option holds that may be repeated. */
export function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}

function emailOf(email: string): string {
  if (email.length <= 254 && /^[^\s@\p{C}]+@[^\s@\p{C}]+\.[^\s@\p{C}]+$/u.test(email)) return email;
  throw new UsageError(`${JSON.stringify(email)} is no e-mail address.`);
}

export function roleOf(role: string): string {
  if (isRoleName(role)) return role;
  throw new UsageError(`${JSON.stringify(role)} is no name of a role.`);
}

function printable(name: string): string {
  if (/^[^\p{C}]{1,100}$/u.test(name) && name.trim() !== '') return name;
  throw new UsageError('A NAME has 1 to 100 printable characters.');
}

/** The rights on each entity, of texts such as `Post:View,Insert`; an entity may be in several of them. */
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
  throw new UsageError(`DAYS is a whole number from 1 to 9999, not ${JSON.stringify(days)}.`);
}
