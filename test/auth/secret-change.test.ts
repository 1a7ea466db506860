import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startGateway } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
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

it('signs tokens anew after a change of the secret, and keeps them over a restart without one', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'duogate-secret-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const database = join(directory, 'accounts.sqlite');
  const EMAIL = 'anna@example.com';
  const first = await start(database, ACCESS.AUTH_SECRET);
  const token = await tokenOf(first, await signUp(first, EMAIL));
  await first.close();
  const second = await start(database, ACCESS.AUTH_SECRET);
  expect((await second.fetch('/odata', { headers: bearer(token) })).status).toBe(200);
  await second.close();
  const third = await start(database, `${ACCESS.AUTH_SECRET}!`);
  expect((await third.fetch('/odata', { headers: bearer(token) })).status).toBe(401);
  const other = await tokenOf(third, await signIn(third, EMAIL));
  expect((await third.fetch('/odata', { headers: bearer(other) })).status).toBe(200);
  await third.close();
});
