import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import { openAdministration } from '../../src/composition/auth-module.ts';
import { readConfig } from '../../src/config/config.ts';
import { ownAddress, ownName } from '../support/own-name.ts';
import { useGateway } from '../support/running-gateway.ts';
import { ACCESS, bearer, PASSWORD, send, signIn, signUp } from './account-client.ts';

const directory = mkdtempSync(join(tmpdir(), 'duogate-passwords-'));
const DATABASE_URL = join(directory, 'accounts.sqlite');
const gateway = useGateway({ ...ACCESS, DATABASE_URL, TRUSTED_PROXIES: '127.0.0.1' });
afterAll(() => rmSync(directory, { recursive: true }));

const REFUSAL = {
  code: 'BadRequest',
  message:
    'The password is too easy to guess. Choose a longer one, such as four words that are unrelated to each other and to you.',
};
const BEA = { name: 'Beatrix Ostrander', email: 'bea.quillfeather@example.com' };

describe('a password that is easily guessed', () => {
  it.each([
    ['is among the most used', 'password1'],
    ['is among the most used, with a few signs changed', 'P@ssw0rd!'],
    ['is a row of keys', 'qwertyuiop'],
    ['is a date', '24.12.1987'],
    ['repeats itself', 'abcabcabcabcabcabc'],
    ['repeats itself for as long as may be', 'x1'.repeat(64)],
    ['is long by repetition alone, whatever comes at its end', `${'1'.repeat(60)}k3!9fJq2`],
    ['is the name', 'Beatrix Ostrander'],
    ['is the name with a year', 'ostrander2024'],
    ['is the address', BEA.email],
    ['is of the address', 'Quillfeather1'],
    ['is what this is called', 'Duogate2026'],
  ])('makes no account where it %s', async (_name, password) => {
    const { status, text } = await send(gateway, '/sign-up/email', { ...BEA, password });
    expect([status, JSON.parse(text)]).toStrictEqual([400, REFUSAL]);
  });

  it('leaves the address to whoever chooses another one', async () => {
    const user = { ...BEA, email: ownAddress('bea.ostrander') };
    const answers = [];
    for (const password of ['password1', PASSWORD])
      answers.push((await send(gateway, '/sign-up/email', { ...user, password })).status);
    expect(answers).toStrictEqual([400, 200]);
  });

  it('is one that others may have whom it has nothing to do with', async () => {
    const user = { name: 'Cy', email: ownAddress('cy'), password: BEA.email };
    expect((await send(gateway, '/sign-up/email', user)).status).toBe(200);
  });

  it('takes the place of none, and looking for another one is no guessing', async () => {
    const { email, session } = await signUp(gateway, `dee.quillfeather@${ownName('host')}.example.com`);
    for (let attempt = 1; attempt <= 7; attempt++) {
      const body = { currentPassword: PASSWORD, newPassword: 'Quillfeather1' };
      const { status, text } = await send(gateway, '/change-password', body, bearer(session));
      expect([status, JSON.parse(text)]).toStrictEqual([400, REFUSAL]);
    }
    expect((await signIn(gateway, email)).email).toBe(email);
    const body = { currentPassword: PASSWORD, newPassword: 'cobalt lantern orchard' };
    expect((await send(gateway, '/change-password', body, bearer(session))).status).toBe(200);
  });

  it('still signs in where there is an account with it', async () => {
    const administration = await openAdministration(readConfig({ AUTH: 'off', DATABASE_URL }));
    const user = { email: ownAddress('old'), password: 'password1' };
    await administration.addUser({ ...user, name: 'Old', roles: ['User'] });
    await administration.close();
    expect((await send(gateway, '/sign-in/email', user)).status).toBe(200);
  });

  it('is told from others that are chosen at the same time', async () => {
    const answers = await Promise.all(
      ['eve', 'flo', 'gus', 'hua'].map((name, index) =>
        send(gateway, '/sign-up/email', {
          name,
          email: ownAddress(name),
          password: index % 2 === 0 ? PASSWORD : '12345678',
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toStrictEqual([200, 400, 200, 400]);
  });
});

describe('very many passwords from one network', () => {
  it('do not keep others waiting, and are no reason to refuse them', async () => {
    const choose = (name: string, network: number, password: string) =>
      send(
        gateway,
        '/sign-up/email',
        { name, email: ownAddress(name), password },
        { 'x-forwarded-for': `203.0.113.${network}` },
      );
    const flood = Array.from({ length: 31 }, (_, index) =>
      choose(`flood${index}`, 1, '4@8({[</\\369&#!1|0$5+7%2'.slice(index % 5).repeat(3)),
    );
    const others = [choose('jan', 2, PASSWORD), choose('kay', 3, PASSWORD)];
    expect((await Promise.all(others)).map(({ status }) => status)).toStrictEqual([200, 200]);
    const statuses = (await Promise.all(flood)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 503).length).toBeGreaterThan(20);
    // What was refused for that does not count as an attempt.
    expect((await choose('lou', 1, PASSWORD)).status).toBe(200);
  });
});

describe('a password', () => {
  it('is kept as a hash of the least cost that OWASP recommends of argon2id', async () => {
    await signUp(gateway, 'ivy.quillfeather@example.com');
    const database = new DatabaseSync(DATABASE_URL, { readOnly: true });
    const hashes = database.prepare('select distinct substr(password, 1, 31) as cost from account').all();
    database.close();
    expect(hashes.map(({ cost }) => cost)).toStrictEqual(['$argon2id$v=19$m=19456,t=2,p=1$']);
  });
});
