import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Gateway, startGateway } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { ownAddress } from '../support/own-name.ts';
import { outcome } from './command.ts';

const ROOT = join(import.meta.dirname, '../..');
const EMAIL = 'anna@example.com';
const PASSWORD = 'correct horse battery';

const DAY = expect.stringMatching(/^\d{4}-\d\d-\d\d$/);

let directory: string;
let environment: Readonly<Record<string, string>>;
let gateway: Gateway;

/** A gateway that runs on the database that the commands work on. */
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'duogate-accounts-'));
  environment = {
    DATABASE_URL: join(directory, 'accounts.sqlite'),
    MESH_CONFIG: join(ROOT, 'examples/library/.meshrc.yaml'),
    LIBRARY_URL: 'http://127.0.0.1:1',
  };
  const secret = 'k3!9fJq2-Lr7Zp0sVx8Tn4Wb6Yd1Hc5Gm';
  const running = { ...environment, AUTH_SECRET: secret, PORT: '0', LOG_LEVEL: 'silent' };
  gateway = await startGateway(readConfig(running));
  await duogate(`user add ${EMAIL} --role User --role Admin --password-stdin`, `${PASSWORD}\n`);
});
afterAll(async () => {
  await gateway.close();
  await rm(directory, { recursive: true });
});

const duogate = (line: string, input = '') => outcome(line.split(' '), environment, input);

/** An earlier try of the test may have made it. */
async function removeEarlier(email: string): Promise<void> {
  await duogate(`user remove ${email} --yes`);
}

async function signIn(
  password: string,
  email = EMAIL,
): Promise<{ status: number; roles: unknown; token: string }> {
  const response = await fetch(`${gateway.url}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  const { user, token } = await response.json();
  return { status: response.status, roles: user?.roles, token };
}

async function statusWith(header: Record<string, string>): Promise<number> {
  return (await fetch(`${gateway.url}/odata`, { headers: header })).status;
}

// Each command finds what those before it have left.
describe('accounts on the command line', { shuffle: false }, () => {
  describe('duogate user', () => {
    it('adds an account with roles and the password that it is given', async () => {
      const email = ownAddress('cleo');
      onTestFinished(() => removeEarlier(email));
      const line = `user add ${email} --role User --role Admin --password-stdin`;
      expect(await duogate(line, `${PASSWORD}\n`)).toStrictEqual({ code: 0, stdout: '', stderr: '' });
      expect(await signIn(PASSWORD, email)).toMatchObject({ status: 200, roles: ['User', 'Admin'] });
    });

    it.each([
      'user add ann.quillfeather@example.com --password-stdin',
      'user add ann@example.com --name Quillfeather --password-stdin',
      `user password ${EMAIL} --password-stdin`,
    ])('takes no password that is easily guessed: %s', async (line) => {
      const input = line.startsWith('user add') ? 'quillfeather1' : EMAIL;
      expect(await duogate(line, `${input}\n`)).toStrictEqual({
        code: 1,
        stdout: '',
        stderr:
          'The password is too easy to guess. Choose a longer one, such as four words that are unrelated to each other and to you.\n',
      });
      expect(await signIn(PASSWORD)).toMatchObject({ status: 200 });
    });

    it('makes a password and tells it', async () => {
      await removeEarlier('ben@example.com');
      const { code, stdout } = await duogate('user add ben@example.com --role Admin');
      expect([code, stdout]).toStrictEqual([
        0,
        expect.stringMatching(/^The password of ben@example\.com is [\w-]{20}\n$/),
      ]);
    });

    it('sets the roles', async () => {
      expect((await duogate(`user role ${EMAIL} Librarian`)).code).toBe(0);
      expect(await signIn(PASSWORD)).toMatchObject({ status: 200, roles: ['Librarian'] });
    });

    it('lists the accounts', async () => {
      const { stdout } = await duogate('user list');
      const rows = stdout.split('\n').map((line) => line.split(/ {2,}/));
      expect(rows).toStrictEqual([
        ['E-MAIL', 'NAME', 'ROLES', 'CREATED', 'LAST SIGN-IN'],
        [EMAIL, 'anna', 'Librarian', DAY, DAY],
        ['ben@example.com', 'ben', 'Admin', DAY, '-'],
        [''],
      ]);
    });

    it('sets another password, which ends all sessions', async () => {
      const { token } = await signIn(PASSWORD);
      const { code, stdout } = await duogate(`user password ${EMAIL}`);
      const [, made = ''] = /^The password of anna@example\.com is ([\w-]{20})\n$/.exec(stdout) ?? [];
      expect([code, made.length]).toStrictEqual([0, 20]);
      expect(await signIn(PASSWORD)).toMatchObject({ status: 401 });
      expect(await signIn(made)).toMatchObject({ status: 200 });
      expect(await statusWith({ authorization: `Bearer ${token}` })).toBe(401);
      const line = `user password ${EMAIL} --password-stdin`;
      expect(await duogate(line, `${PASSWORD}\n`)).toStrictEqual({ code: 0, stdout: '', stderr: '' });
      expect(await signIn(PASSWORD)).toMatchObject({ status: 200 });
    });

    it('removes an account with its keys', async () => {
      await duogate('user add dora@example.com');
      const { stdout: key } = await duogate('key add dora@example.com');
      expect(await duogate('user remove dora@example.com')).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(
          /^The account dora@example\.com would be removed, with its API keys: .+\.\nTo do so, repeat the command with --yes\.\n$/,
        ),
      });
      expect((await duogate('user remove dora@example.com --yes')).code).toBe(0);
      expect(await statusWith({ 'x-api-key': key.trim() })).toBe(401);
      expect((await duogate('user list')).stdout).not.toContain('dora');
    });

    it('shuts an account out, and lets it in again', async () => {
      const { stdout: key } = await duogate(`key add ${EMAIL}`);
      expect((await duogate(`user disable ${EMAIL}`)).code).toBe(0);
      expect(await signIn(PASSWORD)).toMatchObject({ status: 401 });
      expect(await statusWith({ 'x-api-key': key.trim() })).toBe(401);
      expect((await duogate(`user enable ${EMAIL}`)).code).toBe(0);
      expect(await signIn(PASSWORD)).toMatchObject({ status: 200 });
      expect(await statusWith({ 'x-api-key': key.trim() })).toBe(200);
    });

    it.each([
      'user role ben@example.com User',
      'user disable ben@example.com',
      'user remove ben@example.com --yes',
    ])('does not %s where nobody else could administer then', async (line) => {
      const stderr =
        'This is the last account with the role Admin that can sign in: give the role to another account first.\n';
      // A role that is called almost so does not administer.
      await duogate(`user role ${EMAIL} admin SubAdmin`);
      expect(await duogate(line)).toStrictEqual({ code: 1, stdout: '', stderr });
      await duogate(`user role ${EMAIL} Librarian`);
    });

    it.each([
      [`user add ${EMAIL}`, `${EMAIL} already has an account.\n`],
      ['user role nobody@example.com User', 'nobody@example.com has no account.\n'],
      ['user disable nobody@example.com', 'nobody@example.com has no account.\n'],
      ['user password nobody@example.com', 'nobody@example.com has no account.\n'],
      ['user remove nobody@example.com', 'nobody@example.com has no account.\n'],
      [`key revoke ${EMAIL} x`, `${EMAIL} has no key "x".\n`],
      [
        'user add cat@example.com --password-stdin',
        'The password must have 8 to 128 characters, but has 0.\n',
      ],
    ])('cannot do %s', async (line, stderr) => {
      expect(await duogate(line)).toStrictEqual({ code: 1, stdout: '', stderr });
    });
  });

  describe('duogate key', () => {
    it('makes, lists and revokes keys', async () => {
      const { stdout } = await duogate('key add ben@example.com --name Excel --days 30');
      const key = stdout.trim();
      expect(await statusWith({ 'x-api-key': key })).toBe(200);
      const list = async () => (await duogate('key list ben@example.com')).stdout.split('\n').slice(1, -1);
      const [line = ''] = await list();
      const [id = '', start, name] = line.split(/ {2,}/);
      expect([start, name]).toStrictEqual([key.slice(0, 10), 'Excel']);
      expect((await duogate(`key revoke ben@example.com ${id}`)).code).toBe(0);
      expect((await duogate('key list ben@example.com')).stdout).toBe('ben@example.com has no API keys.\n');
    });
  });

  describe('a key with a scope', () => {
    it('is made and listed with what it is good for', async () => {
      const { stdout } = await duogate(
        `key add ${EMAIL} --name Report --scope Author:View --scope Book:Insert --scope Book:View --days 9`,
      );
      const headers = { 'x-api-key': stdout.trim() };
      const answer = await fetch(`${gateway.url}/odata`, { headers });
      const { value } = await answer.json();
      expect(value.map(({ name }: { readonly name: string }) => name)).toStrictEqual(['Author', 'Book']);
      const listed = (await duogate(`key list ${EMAIL}`)).stdout.split('\n');
      const [line = ''] = listed.filter((each) => each.includes('Report'));
      expect(line.split(/ {2,}/).slice(-2)).toStrictEqual(['never', 'Author:View Book:View,Insert']);
    });

    it.each([
      [
        'Author:Look',
        'scope.Author must be a list of View, Insert, Update, Delete and Call, with at least one of them.\n',
      ],
      ['1:View', 'scope must name resources, or *, not "1".\n'],
    ])('cannot be %s', async (scope, stderr) => {
      expect(await duogate(`key add ${EMAIL} --scope ${scope}`)).toStrictEqual({
        code: 1,
        stdout: '',
        stderr,
      });
    });
  });

  describe('duogate grants', () => {
    it('tells what each role may do', async () => {
      const { code, stdout } = await outcome(['grants', join(ROOT, 'openapi/posts.yaml')]);
      expect([code, stdout]).toStrictEqual([0, '      User\nPost  View Insert\n']);
    });

    it('tells it of a project', async () => {
      const { stdout } = await duogate(`grants --project ${environment['MESH_CONFIG']}`);
      const rows = stdout.split('\n').map((line) => line.split(/ {2,}/));
      expect(rows).toContainEqual(['Author', 'View Insert Update Delete', 'View']);
      expect(rows).toContainEqual(['Member', 'View Insert Update', '-']);
    });
  });

  describe('a database that cannot be used', () => {
    it.each([
      [
        'postgres://duogate:secret@127.0.0.1:1/accounts',
        expect.stringMatching(
          /^The accounts database postgres:\/\/127\.0\.0\.1:1\/\w* cannot be opened: connect ECONNREFUSED 127\.0\.0\.1:1\n$/,
        ),
      ],
      [
        '/dev/null/accounts.sqlite',
        expect.stringMatching(/^The accounts database \/dev\/null\/accounts.sqlite cannot be opened: .*\n$/),
      ],
      [
        'mysql://127.0.0.1/x',
        expect.stringContaining('DATABASE_URL must be the path of a SQLite file or a postgres:// URL'),
      ],
    ])('such as %s is told to be one', async (DATABASE_URL, stderr) => {
      expect(await outcome(['user', 'list'], { DATABASE_URL })).toStrictEqual({
        code: 1,
        stdout: '',
        stderr,
      });
    });
  });

  describe('the commands', () => {
    it.each([
      ['user delete a@b.c', "Unknown command 'delete'."],
      ['user add', "Missing required argument 'EMAIL'."],
      ['user list a@b.c', "Too many arguments for 'list'. Expected 0 arguments but got 1."],
      ['user add anna', '"anna" is not an e-mail address.'],
      ['user add a@b.c d@e.f', "Too many arguments for 'add'. Expected 1 argument but got 2."],
      ['user role a@b.c', "Missing required argument 'ROLE'."],
      ['user role a@b.c a,b', '"a,b" is not a valid role name.'],
      ['key revoke a@b.c', "Missing required argument 'ID'."],
      ['key add a@b.c --scope Author', 'A scope is written as ENTITY:RIGHT, not "Author".'],
      ['key add a@b.c --days 0', 'DAYS must be a whole number from 1 to 9999, not "0".'],
    ])('are told apart from %s', async (line, message) => {
      const { code, stderr } = await duogate(line);
      expect([code, stderr.slice(0, stderr.indexOf('\n\nUsage:'))]).toStrictEqual([2, message]);
    });
  });
});
