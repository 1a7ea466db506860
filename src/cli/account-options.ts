import { parseArgs } from 'node:util';
import { HELP, Mistake } from './mistake.ts';

export const USER_USAGE = `Usage: duogate user add EMAIL [--name NAME] [--role ROLE]... [--password-stdin]
       duogate user list
       duogate user role EMAIL ROLE...
       duogate user password EMAIL [--password-stdin]
       duogate user disable EMAIL
       duogate user enable EMAIL
       duogate user remove EMAIL

Sees to accounts, in the database that DATABASE_URL names; the gateway may be running, and hears of it
within ten seconds. Tokens that were given out before are good for five minutes at most.

  add        makes an account and prints its password, unless that comes from the standard input
  list       lists all accounts with their roles
  role       sets the roles; those that are not named are taken away
  password   sets another password, prints it, and signs the user out everywhere; nothing is mailed
  disable    lets the user in no more, whether by password, session or API key
  enable     lets the user in again
  remove     removes the account with its API keys

  --name NAME        what to call the user; the part of EMAIL in front of the @ otherwise
  --role ROLE        what the user may do, by the grants of the OpenAPI files; User otherwise
  --password-stdin   reads the password from the standard input
  -h, --help         this text
`;

export const KEY_USAGE = `Usage: duogate key add EMAIL [--name NAME] [--days DAYS]
       duogate key list EMAIL
       duogate key revoke EMAIL ID

Sees to the API keys of an account, for programs that cannot sign in. A key is printed when it is made, and
never again.

  --name NAME   what the key is for
  --days DAYS   how long it is good; until it is revoked otherwise
  -h, --help    this text
`;

export type AccountCommand =
  | {
      readonly kind: 'user add';
      readonly email: string;
      readonly name: string;
      readonly roles: readonly string[];
      readonly hasPassword: boolean;
    }
  | { readonly kind: 'user role'; readonly email: string; readonly roles: readonly string[] }
  | { readonly kind: 'user list' }
  | { readonly kind: 'user password'; readonly email: string; readonly hasPassword: boolean }
  | { readonly kind: 'user disable' | 'user enable' | 'user remove'; readonly email: string }
  | { readonly kind: 'key list'; readonly email: string }
  | {
      readonly kind: 'key add';
      readonly email: string;
      readonly name: string;
      readonly days: number | undefined;
    }
  | { readonly kind: 'key revoke'; readonly email: string; readonly id: string }
  | { readonly kind: 'help'; readonly usage: string };

const USER_VERBS = ['add', 'list', 'role', 'password', 'disable', 'enable', 'remove'] as const;

export function readUser(rest: readonly string[]): AccountCommand {
  const options = {
    name: { type: 'string' },
    role: { type: 'string', multiple: true },
    'password-stdin': { type: 'boolean' },
    help: HELP,
  } as const;
  const { values, positionals } = parseArgs({ args: [...rest], options, allowPositionals: true });
  if (values.help) return { kind: 'help', usage: USER_USAGE };
  const [verb, ...operands] = positionals;
  const hasPassword = values['password-stdin'] ?? false;
  const known = verbOf(verb, USER_VERBS);
  switch (known) {
    case 'list':
      refuseMore(operands);
      return { kind: 'user list' };
    case 'password':
      return { kind: 'user password', email: onlyEmail(operands), hasPassword };
    case 'add': {
      const email = onlyEmail(operands);
      const { name = email.slice(0, email.indexOf('@')), role = ['User'] } = values;
      return { kind: 'user add', email, name: printable(name), roles: role.map(roleOf), hasPassword };
    }
    case 'role': {
      const [email, ...roles] = operands;
      if (roles.length === 0) throw new Mistake('The ROLE is missing.');
      return { kind: 'user role', email: emailOf(email), roles: roles.map(roleOf) };
    }
    default:
      return { kind: `user ${known}`, email: onlyEmail(operands) };
  }
}

const KEY_VERBS = ['add', 'list', 'revoke'] as const;

export function readKey(rest: readonly string[]): AccountCommand {
  const options = { name: { type: 'string' }, days: { type: 'string' }, help: HELP } as const;
  const { values, positionals } = parseArgs({ args: [...rest], options, allowPositionals: true });
  if (values.help) return { kind: 'help', usage: KEY_USAGE };
  const [verb, ...operands] = positionals;
  switch (verbOf(verb, KEY_VERBS)) {
    case 'add': {
      const { name = 'duogate key', days } = values;
      return { kind: 'key add', email: onlyEmail(operands), name: printable(name), days: daysOf(days) };
    }
    case 'list':
      return { kind: 'key list', email: onlyEmail(operands) };
    case 'revoke': {
      const [email, id, ...more] = operands;
      if (id === undefined || more.length > 0) throw new Mistake('A key is revoked by EMAIL and ID.');
      return { kind: 'key revoke', email: emailOf(email), id };
    }
  }
}

function verbOf<Verb extends string>(text: string | undefined, verbs: readonly Verb[]): Verb {
  const verb = verbs.find((each) => each === text);
  if (verb !== undefined) return verb;
  const found = text === undefined ? 'Nothing is said to do' : `There is no ${JSON.stringify(text)}`;
  throw new Mistake(`${found}: known are ${verbs.slice(0, -1).join(', ')} and ${verbs.at(-1)}.`);
}

function onlyEmail([email, ...more]: readonly string[]): string {
  refuseMore(more);
  return emailOf(email);
}

function refuseMore([excess]: readonly string[]): void {
  if (excess !== undefined) throw new Mistake(`${JSON.stringify(excess)} is too much.`);
}

function emailOf(email: string | undefined): string {
  if (email === undefined) throw new Mistake('The EMAIL is missing.');
  if (email.length <= 254 && /^[^\s@\p{C}]+@[^\s@\p{C}]+\.[^\s@\p{C}]+$/u.test(email)) return email;
  throw new Mistake(`${JSON.stringify(email)} is no e-mail address.`);
}

function roleOf(role: string): string {
  if (/^[\p{L}\p{N}_.:/-]{1,64}$/u.test(role)) return role;
  throw new Mistake(`${JSON.stringify(role)} is no name of a role.`);
}

function printable(name: string): string {
  if (/^[^\p{C}]{1,100}$/u.test(name) && name.trim() !== '') return name;
  throw new Mistake('A NAME has 1 to 100 printable characters.');
}

function daysOf(days: string | undefined): number | undefined {
  if (days === undefined) return undefined;
  if (/^[1-9]\d{0,3}$/.test(days)) return Number(days);
  throw new Mistake(`DAYS is a whole number from 1 to 9999, not ${JSON.stringify(days)}.`);
}
