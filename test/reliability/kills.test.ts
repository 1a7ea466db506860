import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ACCESS, PASSWORD } from '../auth/account-client.ts';
import { postsApi } from '../support/running-gateway.ts';
import { type StandInUpstream, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject } from '../support/temporary-project.ts';
import { type GatewayProcess, startGatewayProcess } from './gateway-process.ts';

const KILLS = 6;
const CLIENTS = 3;

let upstream: StandInUpstream;
beforeAll(async () => {
  upstream = await startStandInUpstream(postsApi);
});
afterAll(() => upstream.close());

/** The status, or 0 where there was no whole answer. */
async function post(gateway: GatewayProcess, path: string, body: object): Promise<number> {
  try {
    const response = await fetch(`${gateway.url}/api/auth${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    await response.text();
    return response.status;
  } catch {
    return 0;
  }
}

const signIn = (gateway: GatewayProcess, email: string) =>
  post(gateway, '/sign-in/email', { email, password: PASSWORD });
const signUp = (gateway: GatewayProcess, email: string) =>
  post(gateway, '/sign-up/email', { name: 'Anna', email, password: PASSWORD });

it('a process that is killed loses no account that it has told of, and leaves none in part', async () => {
  const database = createProject({}).path('accounts.sqlite');
  const start = () =>
    startGatewayProcess({
      environment: { ...ACCESS, DATABASE_URL: database, UPSTREAM_URL: upstream.url },
    });
  let gateway = await start();
  for (let kill = 0; kill < KILLS; kill += 1) {
    const emails = Array.from({ length: CLIENTS }, (_, client) => `user-${kill}-${client}@example.com`);
    const told = Promise.all(emails.map((email) => signUp(gateway, email)));
    // Another moment of it each time, up to the end.
    await delay(60 * kill);
    await gateway.stop();
    const statuses = await told;
    gateway = await start();
    for (const [place, email] of emails.entries()) {
      const status = await signIn(gateway, email);
      if (statuses[place] === 200) expect(status).toBe(200);
      else if (status !== 200)
        expect([await signUp(gateway, email), await signIn(gateway, email)]).toEqual([200, 200]);
    }
  }
  await gateway.stop();
});
