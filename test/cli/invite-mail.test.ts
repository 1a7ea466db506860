import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { outcome } from './command.ts';

const BASE_URL = 'https://api.example.com';
const EMAIL = 'anna@example.com';

let mail: MailServer;
let directory: string;
let environment: Readonly<Record<string, string>>;
beforeAll(async () => {
  mail = await startMailServer();
  directory = mkdtempSync(join(tmpdir(), 'duogate-invite-'));
  environment = {
    DATABASE_URL: join(directory, 'accounts.sqlite'),
    BASE_URL,
    SMTP_URL: mail.url,
    MAIL_FROM: 'Duogate <duogate@example.com>',
  };
});
afterAll(async () => {
  await mail.close();
  rmSync(directory, { recursive: true });
});

const invite = (email = EMAIL) => outcome(['user', 'invite', email], environment);

describe('duogate user invite, where mail is set up', () => {
  it('sends the invitation, and shows nobody the link', async () => {
    const { code, stdout } = await invite();
    expect([code, stdout]).toStrictEqual([0, `The invitation was sent to ${EMAIL}.\n`]);
    const message = await mail.next();
    expect([message.to, message.subject]).toStrictEqual([[EMAIL], 'You are invited (api.example.com)']);
    expect(message.link).toMatch(/^https:\/\/api\.example\.com\/app\/sign-up.*invitation=/);
  });

  it('prints the link where the server does not take the message, and says why', async () => {
    mail.refusal = { status: 550, times: 1 };
    const { code, stdout } = await invite();
    expect(code).toBe(0);
    const [said, link] = stdout.split('\n');
    expect(said).toBe(`The invitation could not be sent to ${EMAIL} (EENVELOPE 550). Pass on this address:`);
    expect(link).toMatch(/^https:\/\/api\.example\.com\/app\/sign-up.*invitation=/);
  });

  it('invites nobody who has an account', async () => {
    await outcome(['user', 'add', 'ben@example.com', '--name', 'Ben'], environment);
    const { code, stderr } = await invite('ben@example.com');
    expect([code, stderr]).toStrictEqual([1, 'ben@example.com already has an account.\n']);
  });
});

describe('duogate user invite, without BASE_URL', () => {
  it('prints the link to this machine, at the port that is set', async () => {
    const settings = { DATABASE_URL: environment['DATABASE_URL'] ?? '', PORT: '8080' };
    const { code, stdout } = await outcome(['user', 'invite', EMAIL], settings);
    expect([code, new URL(stdout).origin]).toStrictEqual([0, 'http://localhost:8080']);
  });
});
