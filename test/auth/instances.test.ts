import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startGateway } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { type Answer, postsApi } from '../support/running-gateway.ts';
import { startStandInUpstream } from '../support/stand-in-upstream.ts';
import { ACCESS, bearer, signUp, tokenOf } from './account-client.ts';

const BASE_URL = 'http://gateway.example';

async function start(environment: Readonly<Record<string, string>>) {
  const settings = { ...ACCESS, BASE_URL, PORT: '0', LOG_LEVEL: 'silent', ...environment };
  const { url, close } = await startGateway(readConfig(settings));
  onTestFinished(() => close());
  return {
    async fetch(path: string, init?: RequestInit): Promise<Answer> {
      const response = await fetch(`${url}${path}`, init);
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
  };
}

it('goes on by next links of another instance of the service, which has the same secret (Part 1, 11.2.6.7)', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'duogate-instances-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const upstream = await startStandInUpstream(postsApi);
  onTestFinished(() => upstream.close());
  const shared = { DATABASE_URL: join(directory, 'accounts.sqlite'), UPSTREAM_URL: upstream.url };
  const one = await start(shared);
  const headers = bearer(await tokenOf(one, await signUp(one, 'anna@example.com')));
  const first = await one.fetch('/odata/Post?$select=Id', {
    headers: { ...headers, prefer: 'maxpagesize=3' },
  });
  const { '@odata.nextLink': next } = JSON.parse(first.text);
  const other = await start(shared);
  const { status, text } = await other.fetch(next.slice(BASE_URL.length), { headers });
  expect([status, JSON.parse(text).value]).toEqual([200, [expect.objectContaining({ Id: '10' })]]);
});
