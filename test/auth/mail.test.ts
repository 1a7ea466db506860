import { beforeAll, describe, expect, it } from 'vitest';
import { createProjectAccounts } from '../support/accounts-project.ts';
import { atEndOfFile } from '../support/end-of-file.ts';
import { MAIL_USER, type MailServer, type ReceivedMail, startMailServer } from '../support/mail-server.ts';
import { ownAddress } from '../support/own-name.ts';
import {
  createProject,
  documentOf,
  type ProjectGateway,
  serveProject,
  sourceOf,
} from '../support/temporary-project.ts';
import { bearer, keyOf, PASSWORD, send, signIn, signUp as signUpAndIn } from './account-client.ts';

const BASE_URL = 'https://api.example.com';
const ADMIN = 'ada@example.com';
const OTHER_PASSWORD = 'cobalt lantern orchard';

interface Site {
  readonly served: ProjectGateway;
  readonly mail: MailServer;
  fetch(path: string, init?: RequestInit): Promise<{ status: number; headers: Headers; text: string }>;
}

async function startSite(environment: Readonly<Record<string, string>> = {}): Promise<Site> {
  const mail = await startMailServer();
  atEndOfFile(() => mail.close());
  const project = createProject(
    {
      'notes.yaml': documentOf('Note'),
      '.meshrc.yaml': `sources:\n${sourceOf('Notes', './notes.yaml', 'http://127.0.0.1:9')}`,
    },
    atEndOfFile,
  );
  const accounts = await createProjectAccounts(project, { [ADMIN]: ['User', 'Admin'] });
  const served = await serveProject(
    project,
    {
      ...accounts,
      MESH_CONFIG: project.path('.meshrc.yaml'),
      BASE_URL,
      SMTP_URL: mail.url,
      MAIL_FROM: 'Duogate <duogate@example.com>',
      ...environment,
    },
    atEndOfFile,
  );
  return { served, mail, ...asking(served) };
}

function asking({ gateway }: ProjectGateway): Pick<Site, 'fetch'> {
  return {
    async fetch(path, init) {
      const response = await fetch(`${gateway.url}${path}`, init);
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
  };
}

/** The token in a link's fragment. */
function tokenIn({ link }: ReceivedMail): string {
  return new URLSearchParams(new URL(link ?? '').hash.slice(1)).get('token') ?? '';
}

function signUp(site: Site, email: string, more: object = {}) {
  return send(site, '/sign-up/email', { name: 'Anna', email, password: PASSWORD, ...more });
}

/** All that a client can see of an answer but when it came and how it is named in the log. */
function seen({ status, headers, text }: Awaited<ReturnType<Site['fetch']>>) {
  const fields = [...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id');
  return { status, fields, text };
}

async function confirmed(site: Site, email: string): Promise<void> {
  await signUp(site, email);
  const token = tokenIn(await site.mail.next(email));
  expect((await send(site, '/recovery/confirm', { token, password: PASSWORD })).status).toBe(204);
}

const STALE = {
  code: 'BadRequest',
  message: 'The link is no longer valid: ask for another one.',
};

describe('signing up where addresses are confirmed', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite();
  });

  it('is told to pages', async () => {
    const { text } = await site.fetch('/', { headers: { accept: 'application/json' } });
    expect(JSON.parse(text)).toMatchObject({ mail: true });
  });

  it('lets nobody in before the link in a message and the password have shown whose address it is', async () => {
    const email = ownAddress('anna');
    expect(JSON.parse((await signUp(site, email)).text)).toStrictEqual({ confirmation: 'email' });
    const message = await site.mail.next(email);
    expect(message).toMatchObject({
      from: 'duogate@example.com',
      to: [email],
      subject: 'Confirm your address (api.example.com)',
    });
    expect(message.link).toMatch(/^https:\/\/api\.example\.com\/app\/confirm#token=/);
    const refused = await send(site, '/sign-in/email', { email, password: PASSWORD });
    expect(refused.status).toBe(401);
    // A client with the password gets another link.
    const token = tokenIn(await site.mail.next(email));
    const wrong = await send(site, '/recovery/confirm', { token, password: OTHER_PASSWORD });
    expect([wrong.status, JSON.parse(wrong.text)]).toStrictEqual([
      400,
      {
        code: 'BadRequest',
        message: 'The password is not the one that you signed up with.',
      },
    ]);
    expect((await send(site, '/sign-in/email', { email, password: PASSWORD })).status).toBe(401);
    await site.mail.next(email);
    expect((await send(site, '/recovery/confirm', { token, password: PASSWORD })).status).toBe(204);
    expect((await signIn(site, email)).email).toBe(email);
  });

  it('answers the same for addresses that have an account, confirmed or not, and for others', async () => {
    const [bea, cy, dee] = [ownAddress('bea'), ownAddress('cy'), ownAddress('dee')];
    await confirmed(site, bea);
    await signUp(site, cy);
    await site.mail.next(cy);
    const known = await signUp(site, bea.replace('bea', 'Bea'), { password: OTHER_PASSWORD });
    const unconfirmed = await signUp(site, cy, { password: OTHER_PASSWORD });
    const free = await signUp(site, dee, { password: OTHER_PASSWORD });
    expect(seen(known)).toStrictEqual(seen(free));
    expect(seen(unconfirmed)).toStrictEqual(seen(free));
    const subjects: string[] = [];
    for (const email of [bea, cy, dee]) subjects.push((await site.mail.next(email)).subject);
    expect(subjects).toStrictEqual([
      'You already have an account (api.example.com)',
      'You already have an account (api.example.com)',
      'Confirm your address (api.example.com)',
    ]);
    expect((await signIn(site, bea)).email).toBe(bea);
  });

  it('answers the same to whoever signs in with what he has signed up with, whether the address was free or not', async () => {
    const [liv, max] = [ownAddress('liv'), ownAddress('max')];
    await confirmed(site, liv);
    const answers: unknown[] = [];
    for (const email of [liv, max]) {
      await signUp(site, email, { password: OTHER_PASSWORD });
      await site.mail.next(email);
      answers.push(seen(await send(site, '/sign-in/email', { email, password: OTHER_PASSWORD })));
    }
    expect(answers[1]).toStrictEqual(answers[0]);
    await site.mail.next(max);
  });

  it('writes no more often to whoever signs in again and again', async () => {
    const [email, other] = [ownAddress('noa'), ownAddress('oda')];
    await signUp(site, email);
    for (let time = 0; time < 5; time++) await send(site, '/sign-in/email', { email, password: PASSWORD });
    await signUp(site, other);
    await site.mail.next(other);
    const sent = site.mail.received.filter(({ to }) => to[0] === email);
    expect(sent.length).toBeLessThanOrEqual(5);
  });

  it('answers the same to several who take one address at once', async () => {
    const eve = ownAddress('eve');
    const answers = await Promise.all([1, 2, 3].map(() => signUp(site, eve)));
    expect(new Set(answers.map((answer) => JSON.stringify(seen(answer)))).size).toBe(1);
    for (const _ of answers) await site.mail.next(eve);
  });

  it.each([
    ['none', 'nothing'],
    ['one that somebody has made up', 'eyJhbGciOiJIUzI1NiJ9.eyJlbWFpbCI6ImFkYUBleGFtcGxlLmNvbSJ9.AAAA'],
    ['one without a signature', 'eyJhbGciOiJub25lIn0.eyJlbWFpbCI6ImFkYUBleGFtcGxlLmNvbSJ9.'],
  ])('confirms nothing by a token that is %s', async (_name, token) => {
    const { status, text } = await send(site, '/recovery/confirm', { token, password: PASSWORD });
    expect([status, JSON.parse(text)]).toStrictEqual([400, STALE]);
  });

  it('writes into no message what somebody calls himself', async () => {
    const fay = ownAddress('fay');
    await signUp(site, fay, { name: 'Win http://evil.example now' });
    expect((await site.mail.next(fay)).body).not.toContain('evil.example');
  });
});

describe('strangers in other networks', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite({ TRUSTED_PROXIES: '127.0.0.1' });
  });
  const from = (network: number) => ({ 'x-forwarded-for': `198.51.${network}.1` });

  async function forget(email: string): Promise<void> {
    for (const network of [1, 2, 3, 4, 5, 6]) {
      const { status } = await send(site, '/recovery/forgot-password', { email }, from(network));
      expect(status).toBe(202);
    }
  }

  it('cause five messages an hour to one address at most, and are answered the same after that', async () => {
    const [gus, ina] = [ownAddress('gus'), ownAddress('ina')];
    await confirmed(site, gus);
    await confirmed(site, ina);
    const statuses: number[] = [];
    for (let time = 0; time < 7; time++) {
      statuses.push((await send(site, '/recovery/forgot-password', { email: gus }, from(8))).status);
    }
    expect(statuses).toStrictEqual(Array(7).fill(202));
    for (let time = 0; time < 5; time++) await site.mail.next(gus);
    await send(site, '/recovery/forgot-password', { email: ina }, from(8));
    await site.mail.next(ina);
    // One message was caused by signing up.
    expect(site.mail.received.filter(({ to }) => to.includes(gus))).toHaveLength(6);
  });

  it('do not keep an address from signing up', async () => {
    const email = ownAddress('jo');
    await forget(email);
    const user = { name: 'Jo', email, password: PASSWORD };
    expect((await send(site, '/sign-up/email', user, from(7))).status).toBe(200);
    expect((await site.mail.next(email)).subject).toContain('Confirm your address');
  });

  it('do not keep a user from a new password', async () => {
    const email = ownAddress('kim');
    await confirmed(site, email);
    await forget(email);
    for (const _ of [1, 2, 3, 4, 5, 6]) await site.mail.next(email);
    expect((await send(site, '/recovery/forgot-password', { email }, from(7))).status).toBe(202);
    expect((await site.mail.next(email)).subject).toContain('Choose a new password');
  });
});

describe('a forgotten password', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite();
  });
  const forgot = (email: string, headers = {}) => send(site, '/recovery/forgot-password', { email }, headers);
  const reset = (token: string, password: string) =>
    send(site, '/recovery/reset-password', { token, password });

  it('is chosen anew by a link, once, and ends all sessions', async () => {
    const hua = ownAddress('hua');
    await confirmed(site, hua);
    const { session } = await signIn(site, hua);
    const hosts = { host: 'evil.example', 'x-forwarded-host': 'evil.example' };
    expect((await forgot(hua.replace('hua', 'Hua'), hosts)).status).toBe(202);
    const message = await site.mail.next(hua);
    expect(message).toMatchObject({
      to: [hua],
      subject: 'Choose a new password (api.example.com)',
    });
    expect(message.link).toMatch(/^https:\/\/api\.example\.com\/app\/reset-password#token=/);
    const token = tokenIn(message);
    const weak = await reset(token, 'password1');
    expect([weak.status, JSON.parse(weak.text).code]).toStrictEqual([400, 'BadRequest']);
    expect((await reset(token, OTHER_PASSWORD)).status).toBe(204);
    const again = await reset(token, PASSWORD);
    expect([again.status, JSON.parse(again.text)]).toStrictEqual([400, STALE]);
    const lost = await site.fetch('/api/auth/get-session', { headers: bearer(session) });
    expect(lost.text).toBe('null');
    const old = await send(site, '/sign-in/email', { email: hua, password: PASSWORD });
    const chosen = await send(site, '/sign-in/email', { email: hua, password: OTHER_PASSWORD });
    expect([old.status, chosen.status]).toStrictEqual([401, 200]);
  });

  it('is not chosen by a link from before the password was changed', async () => {
    const pia = ownAddress('pia');
    await confirmed(site, pia);
    const { session } = await signIn(site, pia);
    await forgot(pia);
    const token = tokenIn(await site.mail.next(pia));
    const change = { currentPassword: PASSWORD, newPassword: OTHER_PASSWORD };
    expect((await send(site, '/change-password', change, bearer(session))).status).toBe(200);
    expect((await reset(token, PASSWORD)).status).toBe(400);
  });

  it('is chosen by one link: the others that were asked for are good no more', async () => {
    const ned = ownAddress('ned');
    await confirmed(site, ned);
    await forgot(ned);
    const first = tokenIn(await site.mail.next(ned));
    await forgot(ned);
    const second = tokenIn(await site.mail.next(ned));
    expect((await reset(second, OTHER_PASSWORD)).status).toBe(204);
    const { status, text } = await reset(first, PASSWORD);
    expect([status, JSON.parse(text)]).toStrictEqual([400, STALE]);
  });

  it('is asked for with the same answer, whether the address has an account or not, and nothing is sent to others', async () => {
    const [hua, nobody, ida] = [ownAddress('hua'), ownAddress('nobody'), ownAddress('ida')];
    await confirmed(site, hua);
    const known = await forgot(hua);
    const unknown = await forgot(nobody);
    expect(seen(unknown)).toStrictEqual(seen(known));
    await site.mail.next(hua);
    // Messages are sent in order, so an unwanted one would have arrived by now.
    await signUp(site, ida);
    await site.mail.next(ida);
    const sent = site.mail.received.filter(({ to }) => to.includes(nobody));
    expect(sent).toStrictEqual([]);
  });

  it('confirms the address, and takes the keys of whoever has used it until then', async () => {
    const jon = ownAddress('jon');
    const admin = await signIn(site, ADMIN);
    const { status } = await send(site, '/sign-up/email', {
      name: 'Jon',
      email: jon,
      password: PASSWORD,
    });
    expect(status).toBe(200);
    await site.mail.next(jon);
    await forgot(jon);
    const token = tokenIn(await site.mail.next(jon));
    expect((await reset(token, OTHER_PASSWORD)).status).toBe(204);
    const known = await send(site, '/sign-in/email', { email: jon, password: OTHER_PASSWORD });
    expect(known.status).toBe(200);
    const { text } = await site.fetch('/api/auth/audit', { headers: { ...bearer(admin.session) } });
    const acts = (JSON.parse(text) as { events: { actor: string; action: string }[] }).events
      .filter(({ actor }) => actor === jon)
      .map(({ action }) => action);
    expect(acts).toStrictEqual([
      'signed in',
      'chose a new password by mail',
      'asked for a new password',
      'signed up',
    ]);
  });

  it('takes the keys of whoever has signed up with the address before there was mail', async () => {
    const project = createProject({
      'notes.yaml': documentOf('Note'),
      'credentials.yaml': '{"Notes":{"userKey":{"header":"X-Key"}}}',
      '.meshrc.yaml': `sources:\n${sourceOf('Notes', './notes.yaml', 'http://127.0.0.1:9')}`,
    });
    const environment = await createProjectAccounts(project, { [ADMIN]: ['User', 'Admin'] });
    const eve = ownAddress('eve');
    const before = asking(await serveProject(project, { ...environment, SIGN_UP: 'open' }));
    const session = bearer((await signUpAndIn(before, eve)).session);
    const key = { headers: { 'content-type': 'application/json', ...session }, body: '{"key":"of another"}' };
    expect((await before.fetch('/api/auth/upstream-keys/Notes', { method: 'PUT', ...key })).status).toBe(204);
    const mailing = { BASE_URL, SMTP_URL: site.mail.url, MAIL_FROM: 'duogate@example.com' };
    const after = asking(await serveProject(project, { ...environment, ...mailing }));
    await send(after, '/recovery/forgot-password', { email: eve });
    const token = tokenIn(await site.mail.next(eve));
    await send(after, '/recovery/reset-password', { token, password: PASSWORD });
    const headers = bearer((await signIn(after, eve)).session);
    const { text } = await after.fetch('/api/auth/upstream-keys', { headers });
    expect(JSON.parse(text)).toStrictEqual({ keys: [{ api: 'Notes', updatedAt: null }] });
  });

  it('leaves the keys of a confirmed account as they are', async () => {
    const kim = ownAddress('kim');
    await confirmed(site, kim);
    const { key } = await keyOf(site, await signIn(site, kim));
    await forgot(kim);
    await reset(tokenIn(await site.mail.next(kim)), OTHER_PASSWORD);
    const { status } = await site.fetch('/odata/Note', { headers: { 'x-api-key': key } });
    expect(status).not.toBe(401);
  });

  it.each([
    ['GET', '/recovery/reset-password', 405],
    ['POST', '/recovery/else', 404],
  ])('is at no other place: %s %s', async (method, path, status) => {
    const answer = await site.fetch(`/api/auth${path}`, { method });
    expect(answer.status).toBe(status);
  });
});

describe('people who are invited and approved', () => {
  it('are written to, and whoever was invited need not confirm the address', async () => {
    const site = await startSite({ SIGN_UP: 'approve' });
    const { session } = await signIn(site, ADMIN);
    const made = await send(site, '/invitations', { email: 'lee@example.com' }, bearer(session));
    const { url, mailed } = JSON.parse(made.text);
    expect(mailed).toBe(true);
    const message = await site.mail.next();
    expect(message).toMatchObject({ to: ['lee@example.com'], link: url });
    const invitation = new URL(url).searchParams.get('invitation');
    expect((await signUp(site, 'lee@example.com', { invitation })).status).toBe(200);
    expect((await signIn(site, 'lee@example.com')).email).toBe('lee@example.com');

    await confirmed(site, 'mia@example.com');
    const waiting = await send(site, '/sign-in/email', { email: 'mia@example.com', password: PASSWORD });
    expect(waiting.status).toBe(401);
    const { text } = await site.fetch('/api/auth/users?search=mia', { headers: bearer(session) });
    const [{ id }] = JSON.parse(text).users;
    const approval = { method: 'PATCH', body: '{"enabled":true}' };
    const headers = { ...bearer(session), 'content-type': 'application/json' };
    expect((await site.fetch(`/api/auth/users/${id}`, { ...approval, headers })).status).toBe(200);
    expect(await site.mail.next()).toMatchObject({
      to: ['mia@example.com'],
      subject: 'Your account is approved (api.example.com)',
    });
    expect((await signIn(site, 'mia@example.com')).email).toBe('mia@example.com');
  });
});

describe('a mail server', () => {
  it('that does not take a message for the moment is given it again, and nobody waits for that', async () => {
    const site = await startSite();
    site.mail.refusal = { status: 451, times: 1 };
    expect((await signUp(site, 'nia@example.com')).status).toBe(200);
    expect((await site.mail.next()).to).toStrictEqual(['nia@example.com']);
    const log = JSON.stringify(site.served.entries());
    expect(log).toContain('a message was not accepted, and will be tried again');
    for (const secret of [
      MAIL_USER.password,
      encodeURIComponent(MAIL_USER.password),

      'token=',
    ])
      expect(log).not.toContain(secret);
  });

  it('that is not there, or refuses for good, changes no answer', async () => {
    const site = await startSite({ SMTP_URL: 'smtp://user:s3cret-pass@127.0.0.1:9' });
    const signedUp = await signUp(site, 'ole@example.com');
    const requested = await send(site, '/recovery/forgot-password', { email: ADMIN });
    expect([signedUp.status, requested.status]).toStrictEqual([200, 202]);
    expect(JSON.stringify(site.served.entries())).not.toContain('s3cret-pass');
  });
});
