import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, startGateway } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { outcome } from '../cli/command.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { ownAddress } from '../support/own-name.ts';
import { createPostgres, HAS_POSTGRES, type Postgres } from '../support/postgres.ts';
import { ACCESS, send } from './account-client.ts';

const PASSWORDS = ['cobalt lantern orchard', 'velvet anchor thimble'] as const;

describe.skipIf(!HAS_POSTGRES)('mail of two instances on one PostgreSQL', () => {
  let postgres: Postgres;
  let mail: MailServer;
  let gateways: readonly Gateway[];
  beforeAll(async () => {
    mail = await startMailServer();
    postgres = await createPostgres();
    await postgres.start();
    const environment = {
      ...ACCESS,
      DATABASE_URL: postgres.url,
      BASE_URL: 'https://api.example.com',
      SMTP_URL: mail.url,
      MAIL_FROM: 'Duogate <duogate@example.com>',
      PORT: '0',
      LOG_LEVEL: 'silent',
      UPSTREAM_URL: 'http://127.0.0.1:1',
    };
    gateways = await Promise.all([1, 2].map(() => startGateway(readConfig(environment))));
  });
  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.close()));
    await postgres.remove();
    await mail.close();
  });

  /** A request to one of the two; comes back with the status of the answer. */
  async function ask(instance: number, path: string, body: object): Promise<number> {
    const url = gateways[instance % 2]?.url;
    const fetching = {
      async fetch(target: string, init?: RequestInit) {
        const response = await fetch(`${url}${target}`, init);
        return { status: response.status, headers: response.headers, text: await response.text() };
      },
    };
    return (await send(fetching, path, body)).status;
  }

  it('takes a link once, also where both are given it at the same moment', async () => {
    const email = ownAddress('ada');
    await outcome(['user', 'add', email, '--name', 'Ada'], { DATABASE_URL: postgres.url });
    for (let round = 0; round < 3; round++) {
      expect(await ask(round, '/recovery/forgot-password', { email })).toBe(202);
      const { link } = await mail.next(email);
      const token = new URLSearchParams(new URL(link ?? '').hash.slice(1)).get('token');
      const resets = PASSWORDS.map((password, instance) =>
        ask(instance, '/recovery/reset-password', { token, password }),
      );
      const statuses = await Promise.all(resets);
      expect(statuses.toSorted()).toStrictEqual([204, 400]);
      const chosen = PASSWORDS[statuses.indexOf(204)];
      expect(await ask(round + 1, '/sign-in/email', { email, password: chosen })).toBe(200);
    }
  });

  it('is five messages an hour to an address, whichever of them is asked', async () => {
    const [gus, ina] = [ownAddress('gus'), ownAddress('ina')];
    for (const email of [gus, ina]) {
      await outcome(['user', 'add', email, '--name', 'Gus'], { DATABASE_URL: postgres.url });
    }
    for (let time = 0; time < 7; time++) {
      expect(await ask(time, '/recovery/forgot-password', { email: gus })).toBe(202);
    }
    for (let time = 0; time < 5; time++) await mail.next(gus);
    await ask(0, '/recovery/forgot-password', { email: ina });
    await mail.next(ina);
    expect(mail.received.filter(({ to }) => to.includes(gus))).toHaveLength(5);
  });
});
