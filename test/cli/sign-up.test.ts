import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startGateway } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { outcome } from './command.ts';

const ROOT = join(import.meta.dirname, '../..');
const ANNA = { name: 'Anna', email: 'anna@example.com', password: 'correct horse battery' };
const UNINVITED = 'Signing up needs a valid invitation for this address: ask an administrator.';

/** A gateway with accounts of its own, and the command beside it. */
async function openAccounts(signUp: string) {
  const directory = await mkdtemp(join(tmpdir(), 'duogate-sign-up-'));
  const environment = {
    AUTH_SECRET: 'k3!9fJq2-Lr7Zp0sVx8Tn4Wb6Yd1Hc5Gm',
    BASE_URL: 'http://localhost:4000',
    DATABASE_URL: join(directory, 'accounts.sqlite'),
    MESH_CONFIG: join(ROOT, 'examples/library/.meshrc.yaml'),
    LIBRARY_URL: 'http://127.0.0.1:1',
    SIGN_UP: signUp,
  };
  const gateway = await startGateway(readConfig({ ...environment, PORT: '0', LOG_LEVEL: 'silent' }));
  onTestFinished(async () => {
    await gateway.close();
    await rm(directory, { recursive: true });
  });
  const post = async (path: string, body: object): Promise<readonly unknown[]> => {
    const response = await fetch(`${gateway.url}/api/auth/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'http://localhost:4000' },
      body: JSON.stringify(body),
    });
    const { message } = await response.json();
    return [response.status, message];
  };
  return {
    signUp: (body: object) => post('sign-up/email', body),
    signIn: async ({ email, password }: typeof ANNA) => (await post('sign-in/email', { email, password }))[0],
    shown: async () => (await (await fetch(gateway.url)).json()).signUp,
    duogate: (...args: readonly string[]) => outcome(args, environment),
  };
}

describe('SIGN_UP', () => {
  it('lets everybody make an account that signs in', async () => {
    const accounts = await openAccounts('open');
    expect(await accounts.signUp(ANNA)).toStrictEqual([200, undefined]);
    expect([await accounts.signIn(ANNA), await accounts.shown()]).toStrictEqual([200, undefined]);
  });

  it('lets nobody make one where it is off, invited or not', async () => {
    const accounts = await openAccounts('off');
    const { stdout } = await accounts.duogate('user', 'invite', ANNA.email);
    const invitation = new URL(stdout).searchParams.get('invitation');
    for (const body of [ANNA, { ...ANNA, invitation }]) {
      expect(await accounts.signUp(body)).toStrictEqual([
        403,
        'Sign-up is closed here: ask an administrator for an account.',
      ]);
    }
    expect([await accounts.signIn(ANNA), await accounts.shown()]).toStrictEqual([401, 'off']);
    const added = await accounts.duogate('user', 'add', ANNA.email);
    expect(added.code).toBe(0);
  });

  it('lets an account in that an administrator has enabled, where it has to be approved', async () => {
    const accounts = await openAccounts('approve');
    expect(await accounts.signUp(ANNA)).toStrictEqual([200, undefined]);
    expect([await accounts.signIn(ANNA), await accounts.shown()]).toStrictEqual([401, 'approve']);
    expect((await accounts.duogate('user', 'list')).stdout).toMatch(
      /anna@example\.com.*waiting for approval\n/,
    );
    expect((await accounts.duogate('user', 'enable', ANNA.email)).code).toBe(0);
    expect(await accounts.signIn(ANNA)).toBe(200);
    expect((await accounts.duogate('user', 'add', 'ben@example.com')).code).toBe(0);
    expect((await accounts.duogate('user', 'list')).stdout).not.toMatch(/ben@example\.com.*waiting/);
  });

  it('lets an account in at once, with the roles that it is invited to, where others have to be approved', async () => {
    const accounts = await openAccounts('approve');
    const invite = ['user', 'invite', ANNA.email, '--role', 'Librarian', '--role', 'User'];
    const [first, second] = [await accounts.duogate(...invite), await accounts.duogate(...invite)].map(
      ({ stdout }) => new URL(stdout).searchParams.get('invitation'),
    );
    // The second has taken the place of the first.
    expect(await accounts.signUp({ ...ANNA, email: 'ben@example.com', invitation: first })).toStrictEqual([
      200,
      undefined,
    ]);
    expect(await accounts.signUp({ ...ANNA, invitation: second })).toStrictEqual([200, undefined]);
    expect(await accounts.signIn(ANNA)).toBe(200);
    const { stdout } = await accounts.duogate('user', 'list');
    expect(
      stdout
        .split('\n')
        .slice(1, 3)
        .map((line) => line.split(/ {2,}/)),
    ).toStrictEqual([
      [ANNA.email, 'Anna', 'Librarian User', expect.any(String), expect.any(String)],
      ['ben@example.com', 'Anna', 'User', expect.any(String), '-', 'waiting for approval'],
    ]);
  });

  it('has invitations listed and withdrawn', async () => {
    const { duogate, signUp } = await openAccounts('invite');
    const { stdout } = await duogate(
      'user',
      'invite',
      'Anna@example.com',
      '--role',
      'Librarian',
      '--days',
      '1',
    );
    const invitation = new URL(stdout).searchParams.get('invitation');
    const rows = async () =>
      (await duogate('user', 'invitations')).stdout.split('\n').map((line) => line.split(/ {2,}/));
    expect(await rows()).toStrictEqual([
      ['E-MAIL', 'ROLES', 'EXPIRES', 'INVITED BY'],
      [ANNA.email, 'Librarian', expect.stringMatching(/^\d{4}-\d\d-\d\d$/), 'command line'],
      [''],
    ]);
    expect((await duogate('user', 'withdraw', ANNA.email)).code).toBe(0);
    expect(await signUp({ ...ANNA, invitation })).toStrictEqual([403, UNINVITED]);
    expect(await rows()).toStrictEqual([['There are no open invitations.'], ['']]);
    expect(await duogate('user', 'withdraw', ANNA.email)).toStrictEqual({
      code: 1,
      stdout: '',
      stderr: 'There is no open invitation for anna@example.com.\n',
    });
  });

  it('lets whoever is invited make an account for the address that is invited, once', async () => {
    const accounts = await openAccounts('invite');
    const { code, stdout } = await accounts.duogate('user', 'invite', 'Anna@example.com', '--days', '2');
    const { origin, pathname, searchParams } = new URL(stdout);
    expect([code, origin, pathname, searchParams.get('email')]).toStrictEqual([
      0,
      'http://localhost:4000',
      '/app/sign-up',
      'Anna@example.com',
    ]);
    const invitation = searchParams.get('invitation') ?? '';
    const others = [
      ANNA,
      { ...ANNA, email: 'eve@example.com', invitation },
      { ...ANNA, invitation: `${invitation.slice(0, -2)}xx` },
      { ...ANNA, invitation: '1.' },
    ];
    for (const body of others) expect(await accounts.signUp(body)).toStrictEqual([403, UNINVITED]);
    expect(await accounts.signUp({ ...ANNA, invitation })).toStrictEqual([200, undefined]);
    expect(await accounts.signUp({ ...ANNA, invitation })).toStrictEqual([403, UNINVITED]);
    expect([await accounts.signIn(ANNA), await accounts.shown()]).toStrictEqual([200, 'invite']);
  });
});
