import { expect, it } from 'vitest';
import { startGateway } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { createLogger } from '../../src/server/logger.ts';
import { ACCESS, bearer, keyOf, PASSWORD, send, signUp, tokenOf } from './account-client.ts';

it('writes no password, session, token or key to the log', async () => {
  const lines: string[] = [];
  const log = createLogger({ level: 'trace', destination: { write: (line) => lines.push(line) } });
  const environment = { ...ACCESS, PORT: '0', API_KEY_PARAMETER: 'code', UPSTREAM_URL: 'http://127.0.0.1:1' };
  const { url, close } = await startGateway(readConfig(environment), log);
  const gateway = {
    async fetch(path: string, init?: RequestInit) {
      const response = await fetch(`${url}${path}`, init);
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
  };
  const user = await signUp(gateway, 'anna@example.com');
  const token = await tokenOf(gateway, user);
  const { key } = await keyOf(gateway, user);
  const statuses = [
    await gateway.fetch(`/odata/Post?code=${key}`),
    await gateway.fetch(`/odata/Post?co%64e=${key}&$top=1`),
    await gateway.fetch(`/nowhere?code=${key}`),
    await gateway.fetch('/odata', { headers: bearer(token) }),
    await gateway.fetch('/odata', { headers: bearer(`${token}x`) }),
    await gateway.fetch('/odata', { headers: { cookie: user.cookie } }),
    await send(gateway, '/sign-in/email', { email: user.email, password: `${PASSWORD}!` }),
    await send(gateway, '/sign-out', '', bearer(user.session)),
  ].map(({ status }) => status);
  await close();
  const text = lines.join('');
  expect(statuses).toStrictEqual([502, 502, 404, 200, 401, 200, 401, 200]);
  expect(text).toContain('"target":"/odata/Post?$top=1"');
  for (const secret of [PASSWORD, user.session, token.slice(-40), key, ACCESS.AUTH_SECRET]) {
    expect(text).not.toContain(secret);
  }
});
