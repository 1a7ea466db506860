import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { atEndOfFile } from '../support/end-of-file.ts';
import { startMailServer } from '../support/mail-server.ts';
import { ownAddress, ownName } from '../support/own-name.ts';
import { createPostgres, HAS_POSTGRES } from '../support/postgres.ts';
import { CLIENT, type Person, type SignInProvider } from '../support/sign-in-provider.ts';
import { ADMIN, type Site, startSite } from '../support/sign-in-site.ts';
import { createProject } from '../support/temporary-project.ts';
import { Visitor } from '../support/visitor.ts';
import { bearer, PASSWORD, type SignedIn, send, signIn } from './account-client.ts';

const SESSION = 'duogate.session_token';

/** Asks where to sign in, as the screens do. */
async function begin(
  { url, path }: Site,
  visitor: Visitor,
  body: object = {},
  act = 'sign-in',
): Promise<string> {
  const { status, text } = await visitor.send(`${url}/api/auth/issuers/${path}/${act}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify(body),
  });
  expect({ status, text }).toStrictEqual({ status: 200, text: expect.stringMatching(/^\{"url":"http/) });
  return JSON.parse(text).url;
}

const isCallback = (url: string) => /\/callback\?/.test(url);

/** Signs in at the provider; comes back with the address that it sends the browser back to. */
async function callbackOf(site: Site, visitor: Visitor, person: Person | undefined, body?: object) {
  site.provider.person = person;
  return visitor.follow(await begin(site, visitor, body), isCallback);
}

/** The page that a whole sign-in ends at, without the origin. */
async function signInBy(
  site: Site,
  visitor: Visitor,
  person: Person | undefined,
  body?: object,
): Promise<string> {
  return finish(site, visitor, await callbackOf(site, visitor, person, body));
}

async function finish({ url }: Site, visitor: Visitor, callback: string): Promise<string> {
  const { status, headers } = await visitor.send(callback);
  const location = headers.get('location') ?? '';
  expect([status, location.startsWith(`${url}/`)]).toStrictEqual([303, true]);
  return location.slice(url.length);
}

async function sessionOf({ url }: Site, visitor: Visitor) {
  return JSON.parse((await visitor.send(`${url}/api/auth/get-session`)).text)?.user;
}

const refused = ({ path }: Site, reason: string, page = '/app/sign-in') =>
  `${page}?${new URLSearchParams({ refused: reason, by: path })}`;

async function deeds(site: Site, most: number): Promise<readonly string[]> {
  const admin = await signIn(site, ADMIN);
  const { text } = await site.fetch('/api/auth/audit', { headers: bearer(admin.session) });
  const events: readonly Record<string, unknown>[] = JSON.parse(text).events;
  return events
    .slice(1, most + 1)
    .map(({ actor, action, refused: isRefused }) => `${actor} ${action}${isRefused ? ', refused' : ''}`)
    .reverse();
}

const person = (sub: string, more: Partial<Person> = {}): Person => ({
  sub,
  email: `${sub}@example.com`,
  name: `Somebody ${sub}`,
  ...more,
});

if (!HAS_POSTGRES) console.warn('PostgreSQL is not installed: what needs it is not tested.');

let open: Site;

beforeAll(async () => {
  open = await startSite();
});
beforeEach(() => {
  open.provider.forge = undefined;
});

describe('signing in by an issuer', () => {
  it('is told beside the other ways', async () => {
    const { issuers, passwords } = (await open.served.json('/')) as Record<string, unknown>;
    expect({ issuers, passwords }).toStrictEqual({
      issuers: [{ name: 'Example', path: open.path }],
      passwords: undefined,
    });
  });

  it('makes an account at first, and finds it by the subject from then on', async () => {
    const visitor = new Visitor();
    const anna = ownName('anna');
    const email = `${anna}@example.com`;
    expect(await signInBy(open, visitor, person(anna), { return: '/app/notes?search=x' })).toBe(
      '/app/notes?search=x',
    );
    const first = await sessionOf(open, visitor);
    expect(first).toMatchObject({ name: `Somebody ${anna}`, email, roles: ['User'] });
    const again = new Visitor();
    expect(await signInBy(open, again, person(anna, { email: 'else@example.com' }))).toBe('/');
    expect(await sessionOf(open, again)).toMatchObject({ id: first.id, email });
    expect((await again.send(`${open.url}/odata/Note`)).status).toBe(502);
    expect(await deeds(open, 3)).toStrictEqual([
      `${email} signed up by Example`,
      `${email} signed in by Example`,
      `${email} signed in by Example`,
    ]);
    expect(open.provider.identifiedBy).toBe('basic');
  });

  it('asks with PKCE, a state and a nonce, for no more than who somebody is', async () => {
    const url = new URL(await begin(open, new Visitor()));
    expect(`${url.origin}${url.pathname}`).toBe(`${open.provider.url}/auth`);
    const random = expect.stringMatching(/^[\w-]{43}$/);
    expect(Object.fromEntries(url.searchParams)).toStrictEqual({
      response_type: 'code',
      client_id: CLIENT.id,
      redirect_uri: `${open.url}/api/auth/issuers/${open.path}/callback`,
      scope: 'openid profile email',
      state: random,
      nonce: random,
      code_challenge: random,
      code_challenge_method: 'S256',
    });
  });

  it('keeps what has begun from scripts and other sites, sealed and for ten minutes', async () => {
    const { headers } = await open.fetch(`/api/auth/issuers/${open.path}/sign-in`, { method: 'POST' });
    expect(headers.getSetCookie()).toStrictEqual([
      expect.stringMatching(
        /^duogate\.sign_in=1\.[\w-]{200,}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
      ),
    ]);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('keeps it from pages without TLS and from other hosts of the domain, where there is TLS', async () => {
    const site = await startSite({ environment: { BASE_URL: 'https://api.example.com/data' } });
    const { headers, text } = await site.fetch(`/api/auth/issuers/${site.path}/sign-in`, { method: 'POST' });
    expect(headers.getSetCookie()).toStrictEqual([
      expect.stringMatching(
        /^__Host-duogate\.sign_in=1\.[\w-]{200,}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
      ),
    ]);
    expect(new URL(JSON.parse(text).url).searchParams.get('redirect_uri')).toBe(
      `https://api.example.com/data/api/auth/issuers/${site.path}/callback`,
    );
  });

  it('removes it at the end, and starts a session as a password does', async () => {
    const visitor = new Visitor();
    const callback = await callbackOf(open, visitor, person('flags'));
    const { headers } = await visitor.send(callback);
    expect(headers.getSetCookie()).toStrictEqual([
      'duogate.sign_in=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax',
      expect.stringMatching(
        /^duogate\.session_token=[^;]+; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/,
      ),
    ]);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it.each([
    ['//evil.example/', '/'],
    ['/\\evil.example', '/'],
    ['https://evil.example/', '/'],
    ['@evil.example/', '/'],
    ['.evil.example/', '/'],
    ['/\t/evil.example', '/'],
    ['/\r\nset-cookie: a=b', '/'],
    [`/${'x'.repeat(2000)}`, '/'],
    ['/app/account', '/app/account'],
  ])('leads back to no page but ours: %j', async (asked, expected) => {
    expect(await signInBy(open, new Visitor(), person('return'), { return: asked })).toBe(expected);
  });

  it('writes neither codes nor what the issuer has given into the log', async () => {
    const visitor = new Visitor();
    const callback = await callbackOf(open, visitor, person('log'));
    await finish(open, visitor, callback);
    const code = new URL(callback).searchParams.get('code') ?? '';
    const log = JSON.stringify(open.served.entries());
    expect(log).toContain('code=[redacted]');
    for (const secret of [code, CLIENT.secret, visitor.cookieOf(open.url, SESSION) ?? ''])
      expect([secret.length > 10, log.includes(secret)]).toStrictEqual([true, false]);
  });
});

describe('a sign-in that is not good', () => {
  it('of somebody who does not want to is told as that', async () => {
    // Of refusals, few are written down in a minute: those of other tests are not to be among them.
    const site = await startSite();
    const visitor = new Visitor();
    expect(await signInBy(site, visitor, undefined, { return: '/app/notes' })).toBe(
      `${refused(site, 'denied')}&return=%2Fapp%2Fnotes`,
    );
    expect(await sessionOf(site, visitor)).toBeUndefined();
    expect(await deeds(site, 1)).toStrictEqual(['null signed in by Example, refused']);
  });

  it('with the state of another one goes no further, and does not end the one that has begun', async () => {
    const attacker = new Visitor();
    const victim = new Visitor();
    const theirs = await callbackOf(open, victim, person('victim'));
    const planted = await callbackOf(open, attacker, person('attacker'));
    expect(await finish(open, victim, planted)).toBe(refused(open, 'expired'));
    expect(await sessionOf(open, victim)).toBeUndefined();
    expect(await finish(open, victim, theirs)).toBe('/');
    expect(await sessionOf(open, victim)).toMatchObject({ email: 'victim@example.com' });
  });

  it('in a browser that has begun none goes no further', async () => {
    const callback = await callbackOf(open, new Visitor(), person('elsewhere'));
    const other = new Visitor();
    expect(await finish(open, other, callback)).toBe(refused(open, 'expired'));
    expect(await sessionOf(open, other)).toBeUndefined();
  });

  it('with a code that has been used, or none, goes no further', async () => {
    const visitor = new Visitor();
    const callback = await callbackOf(open, visitor, person('replay'));
    const begun = visitor.cookieOf(open.url, 'duogate.sign_in') ?? '';
    expect(await finish(open, visitor, callback)).toBe('/');
    const replaying = new Visitor();
    replaying.setCookie(open.url, 'duogate.sign_in', begun);
    expect(await finish(open, replaying, callback)).toBe(refused(open, 'failed'));
    replaying.setCookie(open.url, 'duogate.sign_in', begun);
    expect(await finish(open, replaying, callback.replace(/code=[^&]*&/, ''))).toBe(refused(open, 'failed'));
    expect(await sessionOf(open, replaying)).toBeUndefined();
  });

  it('with a cookie that was changed goes no further', async () => {
    const visitor = new Visitor();
    const callback = await callbackOf(open, visitor, person('changed'));
    const begun = visitor.cookieOf(open.url, 'duogate.sign_in') ?? '';
    visitor.setCookie(open.url, 'duogate.sign_in', `${begun.slice(0, -2)}AA`);
    expect(await finish(open, visitor, callback)).toBe(refused(open, 'expired'));
  });

  it.each<readonly [string, Exclude<SignInProvider['forge'], undefined>]>([
    ['another nonce', (claims) => ({ ...claims, nonce: 'another' })],
    ['no nonce', ({ nonce: _, ...claims }) => claims],
    ['another audience', (claims) => ({ ...claims, aud: 'billing' })],
    [
      'several audiences, and another that it was made for',
      (claims) => ({ ...claims, aud: [CLIENT.id, 'billing'], azp: 'billing' }),
    ],
    ['another issuer', (claims) => ({ ...claims, iss: 'https://evil.example' })],
    ['a time that is over', (claims) => ({ ...claims, exp: Math.floor(Date.now() / 1000) - 600 })],
    ['no subject', ({ sub: _, ...claims }) => claims],
    ['another signature', 'other key'],
  ])('by an ID token with %s goes no further', async (_name, forge) => {
    const visitor = new Visitor();
    const callback = await callbackOf(open, visitor, person('forged'));
    open.provider.forge = forge;
    expect(await finish(open, visitor, callback)).toBe(refused(open, 'failed'));
    expect(await sessionOf(open, visitor)).toBeUndefined();
  });

  it('is begun by no page of another origin', async () => {
    const { status } = await open.fetch(`/api/auth/issuers/${open.path}/sign-in`, {
      method: 'POST',
      headers: { origin: 'https://evil.example' },
    });
    expect(status).toBe(403);
  });

  it('at an issuer that is not there is told as such', async () => {
    const { status, text } = await open.fetch('/api/auth/issuers/evil.example/sign-in', { method: 'POST' });
    expect({ status, body: JSON.parse(text) }).toStrictEqual({
      status: 404,
      body: { code: 'NotFound', message: 'There is nothing at this path.' },
    });
  });

  it('without an address makes no account', async () => {
    expect(await signInBy(open, new Visitor(), { sub: 'nameless' })).toBe(refused(open, 'email'));
    const odd = person('odd', { email: 'not an address' });
    expect(await signInBy(open, new Visitor(), odd)).toBe(refused(open, 'email'));
  });

  it('of somebody who is disabled lets him in no more', async () => {
    const visitor = new Visitor();
    const disabled = person(ownName('disabled'));
    await signInBy(open, visitor, disabled);
    const { id } = await sessionOf(open, visitor);
    await asAdmin(open, 'PATCH', `/users/${id}`, { enabled: false });
    const again = new Visitor();
    expect(await signInBy(open, again, disabled)).toBe(refused(open, 'disabled'));
    expect(await sessionOf(open, again)).toBeUndefined();
  });
});

async function asAdmin(site: Site, method: string, path: string, body?: object) {
  const admin = await signIn(site, ADMIN);
  const { status, text } = await site.fetch(`/api/auth${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...bearer(admin.session) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect([status, text]).toStrictEqual([expect.toSatisfy((code: number) => code < 300), text]);
  return text === '' ? undefined : JSON.parse(text);
}

/** Makes an account with a password, and signs in to it in the browser. */
async function withPassword(site: Site, visitor: Visitor, email: string): Promise<SignedIn> {
  await send(site, '/sign-up/email', { name: 'Anna', email, password: PASSWORD });
  await visitor.send(`${site.url}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: site.url },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  return signIn(site, email);
}

/** A gateway that writes to people. */
async function startMailingSite(environment: Readonly<Record<string, string>>) {
  const mail = await startMailServer();
  atEndOfFile(() => mail.close());
  const mailing = {
    BASE_URL: 'https://api.example.com',
    SMTP_URL: mail.url,
    MAIL_FROM: 'duogate@example.com',
  };
  return { mail, ...(await startSite({ environment: { ...environment, ...mailing } })) };
}

describe('an account with a password', () => {
  it('is not that of somebody with the same address at an issuer', async () => {
    // Of refusals, few are written down in a minute: those of other tests are not to be among them.
    const site = await startSite();
    const email = ownAddress('same');
    await withPassword(site, new Visitor(), email);
    const visitor = new Visitor();
    const claimed = person(ownName('same'), { email, email_verified: true });
    expect(await signInBy(site, visitor, claimed)).toBe(refused(site, 'taken'));
    expect(await sessionOf(site, visitor)).toBeUndefined();
    expect(await deeds(site, 1)).toStrictEqual([`${email} signed in by Example, refused`]);
  });

  it('is connected by its user, who signs in both ways then, and sees that', async () => {
    const visitor = new Visitor();
    const email = ownAddress('both');
    const { id } = await withPassword(open, visitor, email);
    open.provider.person = person(ownName('both'), { email: 'private@example.net' });
    const callback = await visitor.follow(await begin(open, visitor, {}, 'connect'), isCallback);
    expect(await finish(open, visitor, callback)).toBe(`/app/account?connected=${open.path}`);
    const { text } = await visitor.send(`${open.url}/api/auth/issuers`);
    expect(JSON.parse(text)).toStrictEqual({
      hasPassword: true,
      issuers: [{ name: 'Example', path: open.path, isConnected: true }],
    });
    const other = new Visitor();
    expect(await signInBy(open, other, open.provider.person)).toBe('/');
    expect(await sessionOf(open, other)).toMatchObject({ id, email });
    expect(await deeds(open, 2)).toStrictEqual([
      `${email} connected the account to Example`,
      `${email} signed in by Example`,
    ]);
  });

  it('is connected to nobody who has an account already', async () => {
    const owner = person(ownName('owner'));
    await signInBy(open, new Visitor(), owner);
    const visitor = new Visitor();
    await withPassword(open, visitor, ownAddress('thief'));
    open.provider.person = owner;
    const callback = await visitor.follow(await begin(open, visitor, {}, 'connect'), isCallback);
    expect(await finish(open, visitor, callback)).toBe(refused(open, 'connected', '/app/account'));
  });

  it('lets nobody in who has connected it before the owner of the address chose a password by mail', async () => {
    const project = createProject({}, atEndOfFile);
    const database = { DATABASE_URL: project.path('shared.sqlite') };
    const before = await startSite({ environment: database });
    const email = ownAddress('taken');
    const visitor = new Visitor();
    const { id } = await withPassword(before, visitor, email);
    const squatter = person(ownName('squatter'));
    before.provider.person = squatter;
    const callback = await visitor.follow(await begin(before, visitor, {}, 'connect'), isCallback);
    expect(await finish(before, visitor, callback)).toBe(`/app/account?connected=${before.path}`);
    const { mail, ...after } = await startMailingSite(database);
    await send(after, '/recovery/forgot-password', { email });
    const { link } = await mail.next(email);
    const token = new URLSearchParams(new URL(link ?? '').hash.slice(1)).get('token');
    expect((await send(after, '/recovery/reset-password', { token, password: PASSWORD })).status).toBe(204);
    const later = new Visitor();
    await signInBy(before, later, squatter);
    expect((await sessionOf(before, later))?.id).not.toBe(id);
    expect((await send(after, '/sign-in/email', { email, password: PASSWORD })).status).toBe(200);
  });

  it('is connected by nobody else in the same browser, and by nobody without a session', async () => {
    const visitor = new Visitor();
    await withPassword(open, visitor, ownAddress('one'));
    open.provider.person = person(ownName('shared'));
    const callback = await visitor.follow(await begin(open, visitor, {}, 'connect'), isCallback);
    await withPassword(open, visitor, ownAddress('two'));
    expect(await finish(open, visitor, callback)).toBe(refused(open, 'expired', '/app/account'));
    const { status } = await open.fetch(`/api/auth/issuers/${open.path}/connect`, { method: 'POST' });
    expect(status).toBe(401);
  });
});

describe('an account without a password', () => {
  it('gets none by mail: its user is told to sign in as always', async () => {
    const database = { DATABASE_URL: createProject({}, atEndOfFile).path('shared.sqlite') };
    const before = await startSite({ environment: database });
    const anna = ownName('anna');
    const email = `${anna}@example.com`;
    await signInBy(before, new Visitor(), person(anna));
    const { mail, ...after } = await startMailingSite(database);
    expect((await send(after, '/recovery/forgot-password', { email })).status).toBe(202);
    const { subject, body } = await mail.next(email);
    expect([subject, body.split('\n').at(-2)]).toStrictEqual([
      'Your account has no password (api.example.com)',
      'https://api.example.com/app/sign-in',
    ]);
  });
});

describe('where the operator trusts addresses that the issuer has verified', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite({ isEmailTrusted: true });
  });

  it('takes an account that was made for the address', async () => {
    const visitor = new Visitor();
    expect(await signInBy(site, visitor, person('ada', { email: ADMIN, email_verified: true }))).toBe('/');
    expect(await sessionOf(site, visitor)).toMatchObject({ email: ADMIN, roles: ['User', 'Admin'] });
  });

  it('takes none for an address that is not verified, and none that somebody has made for himself', async () => {
    const unverified = person('eve', { email: ADMIN, email_verified: false });
    expect(await signInBy(site, new Visitor(), unverified)).toBe(refused(site, 'taken'));
    await withPassword(site, new Visitor(), 'victim@example.com');
    const victim = person('victim', { email_verified: true });
    expect(await signInBy(site, new Visitor(), victim)).toBe(refused(site, 'taken'));
  });
});

describe('who has no account yet', () => {
  it('makes none where nobody may', async () => {
    const site = await startSite({ environment: { SIGN_UP: 'off' } });
    expect(await signInBy(site, new Visitor(), person('anna'))).toBe(refused(site, 'closed'));
    expect(await deeds(site, 1)).toStrictEqual(['anna@example.com signed in by Example, refused']);
  });

  it('waits where accounts are approved, and is let in afterwards', async () => {
    const site = await startSite({ environment: { SIGN_UP: 'approve' } });
    const visitor = new Visitor();
    expect(await signInBy(site, visitor, person('anna'))).toBe(refused(site, 'waiting'));
    expect(await signInBy(site, visitor, person('anna'))).toBe(refused(site, 'waiting'));
    expect(await sessionOf(site, visitor)).toBeUndefined();
    expect(await deeds(site, 3)).toStrictEqual([
      'anna@example.com signed up by Example',
      'anna@example.com signed in by Example, refused',
      'anna@example.com signed in by Example, refused',
    ]);
    const { users } = await asAdmin(site, 'GET', '/users?state=waiting');
    await asAdmin(site, 'PATCH', `/users/${users[0].id}`, { enabled: true });
    expect(await signInBy(site, visitor, person('anna'))).toBe('/');
  });

  it('needs an invitation for his address where accounts are for those who are invited', async () => {
    const site = await startSite({ environment: { SIGN_UP: 'invite' } });
    const { url } = await asAdmin(site, 'POST', '/invitations', {
      email: 'anna@example.com',
      roles: ['Editor'],
    });
    const invitation = new URL(url).searchParams.get('invitation');
    expect(await signInBy(site, new Visitor(), person('anna'))).toBe(refused(site, 'invitation'));
    expect(await signInBy(site, new Visitor(), person('ben'), { invitation })).toBe(
      refused(site, 'invitation'),
    );
    const visitor = new Visitor();
    expect(await signInBy(site, visitor, person('anna'), { invitation })).toBe('/');
    expect(await sessionOf(site, visitor)).toMatchObject({ roles: ['Editor'] });
    expect(await asAdmin(site, 'GET', '/invitations')).toMatchObject({ invitations: [] });
  });
});

describe('roles that an issuer names', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite({
      environment: { OIDC_ROLES: 'staff=User,editor=Editor,chief=Admin' },
      isPublic: true,
    });
  });

  const rolesAfter = async (who: Person): Promise<readonly string[]> => {
    const visitor = new Visitor();
    expect(await signInBy(site, visitor, who)).toBe('/');
    return (await sessionOf(site, visitor)).roles;
  };

  it('are those of the account at each sign-in, until the issuer takes them away', async () => {
    const anna = ownName('anna');
    expect(await rolesAfter(person(anna, { roles: ['staff', 'editor', 'uma'] }))).toStrictEqual([
      'User',
      'Editor',
    ]);
    expect(await rolesAfter(person(anna, { roles: ['staff'] }))).toStrictEqual(['User']);
    expect(await rolesAfter(person(anna, { roles: ['chief'] }))).toStrictEqual(['Admin']);
    expect(await rolesAfter(person(anna))).toStrictEqual(['User']);
    expect(await rolesAfter(person(anna, { roles: ['uma'] }))).toStrictEqual([]);
    expect(await deeds(site, 2)).toStrictEqual([
      `${anna}@example.com was given the roles none by Example`,
      `${anna}@example.com signed in by Example`,
    ]);
  });

  it('that it says nothing of are as they are here', async () => {
    const local = ownName('local');
    expect(await rolesAfter(person(local))).toStrictEqual(['User']);
    const { users } = await asAdmin(site, 'GET', `/users?search=${local}`);
    await asAdmin(site, 'PATCH', `/users/${users[0].id}`, { roles: ['Editor'] });
    expect(await rolesAfter(person(local))).toStrictEqual(['Editor']);
  });

  it('are not those of an account with a password', async () => {
    const visitor = new Visitor();
    await withPassword(site, visitor, ownAddress('own'));
    site.provider.person = person(ownName('own'), { roles: ['chief'] });
    const callback = await visitor.follow(await begin(site, visitor, {}, 'connect'), isCallback);
    await finish(site, visitor, callback);
    expect(await rolesAfter(site.provider.person)).toStrictEqual(['User']);
  });
});

describe('where nobody signs in by a password', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite({ hasPasswords: false, environment: { OIDC_ROLES: 'chief=Admin' } });
  });

  it('refuses to sign in, to sign up and to change one', async () => {
    const answers = [
      await send(site, '/sign-in/email', { email: ADMIN, password: PASSWORD }),
      await send(site, '/sign-up/email', { name: 'Anna', email: 'anna@example.com', password: PASSWORD }),
      await send(site, '/change-password', { currentPassword: PASSWORD, newPassword: PASSWORD }),
    ];
    const message = 'Password sign-in is off here: sign in with a provider.';
    expect(answers.map(({ status, text }) => [status, JSON.parse(text)])).toStrictEqual(
      Array(3).fill([403, { code: 'Forbidden', message }]),
    );
    expect(await site.served.json('/')).toMatchObject({ passwords: 'off' });
  });

  it('lets an administrator of the issuer in', async () => {
    const visitor = new Visitor();
    expect(await signInBy(site, visitor, person('chief', { roles: ['chief'] }))).toBe('/');
    expect((await visitor.send(`${site.url}/api/auth/users`)).status).toBe(200);
  });
});

describe('an issuer that does not answer', () => {
  it('is told where somebody wants to sign in, and where he comes back', async () => {
    const site = await startSite();
    const visitor = new Visitor();
    const callback = await callbackOf(site, visitor, person('anna'));
    await site.provider.close();
    expect(await finish(site, visitor, callback)).toBe(refused(site, 'unavailable'));
    const other = await startSite();
    await other.provider.close();
    const { status, text } = await other.fetch(`/api/auth/issuers/${other.path}/sign-in`, { method: 'POST' });
    expect({ status, body: JSON.parse(text) }).toStrictEqual({
      status: 503,
      body: { code: 'AccountsUnavailable', message: 'Example cannot be reached at the moment.' },
    });
  });
});

describe.skipIf(!HAS_POSTGRES)('somebody who signs in three times at once', () => {
  let site: Site;
  beforeAll(async () => {
    const postgres = await createPostgres();
    atEndOfFile(() => postgres.remove());
    await postgres.start();
    site = await startSite({ environment: { DATABASE_URL: postgres.url } });
  });

  it('has one account, where he has had none before', async () => {
    const visitors = [new Visitor(), new Visitor(), new Visitor()];
    const callbacks: string[] = [];
    const thrice = person(ownName('thrice'));
    for (const visitor of visitors) callbacks.push(await callbackOf(site, visitor, thrice));
    site.provider.gather = visitors.length;
    const ends = visitors.map((visitor, index) => finish(site, visitor, callbacks[index] ?? ''));
    expect(await Promise.all(ends)).toStrictEqual(['/', '/', '/']);
    const sessions = await Promise.all(visitors.map((visitor) => sessionOf(site, visitor)));
    expect(new Set(sessions.map(({ id }) => id)).size).toBe(1);
  });

  it('connects one account, where he does it for several', async () => {
    const visitors = [new Visitor(), new Visitor(), new Visitor()];
    const callbacks: string[] = [];
    const several = person(ownName('several'), { email: 'several@example.net' });
    for (const visitor of visitors) {
      await withPassword(site, visitor, ownAddress('several'));
      site.provider.gather = 1;
      site.provider.person = several;
      callbacks.push(await visitor.follow(await begin(site, visitor, {}, 'connect'), isCallback));
    }
    site.provider.gather = visitors.length;
    const ends = await Promise.all(
      visitors.map((visitor, index) => finish(site, visitor, callbacks[index] ?? '')),
    );
    expect(ends.filter((page) => page.startsWith('/app/account?connected='))).toHaveLength(1);
    expect(ends.filter((page) => page.startsWith('/app/account?refused=connected&'))).toHaveLength(2);
  });
});
