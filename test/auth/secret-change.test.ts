import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { startGateway } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { outcome } from '../cli/command.ts';
import type { Answer } from '../support/running-gateway.ts';
import { ACCESS, bearer, signIn, signUp, tokenOf } from './account-client.ts';

async function start(DATABASE_URL: string, AUTH_SECRET: string) {
  const environment = { ...ACCESS, AUTH_SECRET, DATABASE_URL, PORT: '0', LOG_LEVEL: 'silent' };
  const settings = { BASE_URL: 'http://gateway.example', UPSTREAM_URL: 'http://127.0.0.1:1' };
  const { url, close } = await startGateway(readConfig({ ...environment, ...settings }));
  return {
    close,
    async fetch(path: string, init?: RequestInit): Promise<Answer> {
      const response = await fetch(`${url}${path}`, init);
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
  };
}

const EMAIL = 'anna@example.com';
const OTHER_SECRET = `${ACCESS.AUTH_SECRET}!`;

it('keeps the keys over a restart, refuses to start with another secret, and accepts it where that is commanded', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'duogate-secret-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const database = join(directory, 'accounts.sqlite');
  const replace = (secret: string, ...options: readonly string[]) =>
    outcome(['secret', 'replace', ...options], { DATABASE_URL: database, AUTH_SECRET: secret });
  const first = await start(database, ACCESS.AUTH_SECRET);
  const token = await tokenOf(first, await signUp(first, EMAIL));
  await first.close();
  await expect(start(database, OTHER_SECRET)).rejects.toMatchObject({
    message:
      'AUTH_SECRET is not the one that the accounts database was made with: set that one, or another DATABASE_URL. If it is lost, `duogate secret replace` has the database accept the new one.',
  });
  const second = await start(database, ACCESS.AUTH_SECRET);
  expect((await second.fetch('/odata', { headers: bearer(token) })).status).toBe(200);
  await second.close();
  expect(await replace(OTHER_SECRET)).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'The keys that tokens are signed with and the stored credentials for APIs would be deleted.\nTo do so, repeat the command with --yes.\n',
  });
  expect((await replace(ACCESS.AUTH_SECRET, '--yes')).stdout).toBe(
    'AUTH_SECRET is the one of this database already: nothing was changed.\n',
  );
  expect(await replace(OTHER_SECRET, '--yes')).toEqual({
    code: 0,
    stdout: 'AUTH_SECRET is replaced; 1 keys and credentials were deleted. Restart all instances with it.\n',
    stderr: '',
  });
  const third = await start(database, OTHER_SECRET);
  expect((await third.fetch('/odata', { headers: bearer(token) })).status).toBe(401);
  const other = await tokenOf(third, await signIn(third, EMAIL));
  expect((await third.fetch('/odata', { headers: bearer(other) })).status).toBe(200);
  await third.close();
});

it('finds another secret in a database of a version that kept no check value, too', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'duogate-secret-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'accounts.sqlite');
  await (await start(file, ACCESS.AUTH_SECRET)).close();
  const database = new DatabaseSync(file);
  database.exec('DROP TABLE "secretCheck"');
  const keys = () => database.prepare('SELECT count(*) AS number FROM jwks').get()?.['number'];
  await expect(start(file, OTHER_SECRET)).rejects.toMatchObject({ code: 'Conflict', target: 'AUTH_SECRET' });
  expect(keys()).toBe(1);
  await (await start(file, ACCESS.AUTH_SECRET)).close();
  database.close();
});
