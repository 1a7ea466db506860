import { describe, expect, it } from 'vitest';
import { ownAddress } from '../support/own-name.ts';
import { EACH_TRY, useGateway } from '../support/running-gateway.ts';
import { ACCESS, bearer, keyOf, PASSWORD, send, signIn, signUp, tokenOf } from './account-client.ts';

const gateway = useGateway(ACCESS);
const ANNA = { name: 'Anna', email: 'anna@example.com', password: PASSWORD };

describe('signing up', () => {
  it('makes an account with the role User, whatever role is asked for', async () => {
    const email = ownAddress('climber');
    const { status, text } = await send(gateway, '/sign-up/email', {
      ...ANNA,
      email,
      role: 'Admin',
      roles: ['Admin'],
      emailVerified: true,
    });
    expect([status, JSON.parse(text).user]).toMatchObject([
      200,
      { email, roles: ['User'], emailVerified: false },
    ]);
  });

  it('says that an address has an account, as nobody can be asked by mail', async () => {
    const email = ownAddress('anna');
    expect((await send(gateway, '/sign-up/email', { ...ANNA, email })).status).toBe(200);
    const second = await send(gateway, '/sign-up/email', { ...ANNA, email: email.replace('anna', 'ANNA') });
    expect([second.status, JSON.parse(second.text)]).toStrictEqual([
      409,
      { code: 'Conflict', message: 'There is already an account with this address: sign in.' },
    ]);
  });

  it.each([
    ['no body', '', 'name must be 1 to 100 printable characters.'],
    ['a list', '[]', 'The body must be a JSON object.'],
    ['half a body', '{"name":', 'The body must be a JSON object in UTF-8.'],
    ['a name with NUL', { ...ANNA, name: 'a\0b' }, 'name must be 1 to 100 printable characters.'],
    ['a name with CR LF', { ...ANNA, name: 'a\r\nb' }, 'name must be 1 to 100 printable characters.'],
    ['a name of spaces', { ...ANNA, name: '   ' }, 'name must be 1 to 100 printable characters.'],
    ['a long name', { ...ANNA, name: 'x'.repeat(101) }, 'name must be 1 to 100 printable characters.'],
    ['a number for a name', { ...ANNA, name: 1 }, 'name must be 1 to 100 printable characters.'],
    ['no address', { ...ANNA, email: 'anna' }, 'email must be an e-mail address of at most 254 characters.'],
    ['a short password', { ...ANNA, password: '1234567' }, 'password must be 8 to 128 characters.'],
    ['a long password', { ...ANNA, password: 'x'.repeat(129) }, 'password must be 8 to 128 characters.'],
  ])('says what is wrong with %s', async (_name, body, message) => {
    const { status, text } = await send(gateway, '/sign-up/email', body);
    expect([status, JSON.parse(text)]).toStrictEqual([400, { code: 'BadRequest', message }]);
  });

  it('takes no body of 3 MB', async () => {
    const { status } = await send(gateway, '/sign-up/email', { ...ANNA, name: 'x'.repeat(3_000_000) });
    expect(status).toBe(413);
  });

  it('takes JSON alone', async () => {
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await send(gateway, '/sign-up/email', 'name=Anna', type)).status).toBe(415);
  });
});

describe('a session', () => {
  it('lasts until one signs out', async () => {
    const { session, cookie, id } = await signUp(gateway, 'ben@example.com');
    for (const headers of [bearer(session), { cookie }]) {
      expect((await gateway.fetch('/odata', { headers })).status).toBe(200);
    }
    const { text } = await gateway.fetch('/api/auth/get-session', { headers: { cookie } });
    expect(JSON.parse(text).user).toMatchObject({ id, name: 'Anna', roles: ['User'] });
    expect((await send(gateway, '/sign-out', '', bearer(session))).status).toBe(200);
    expect((await gateway.fetch('/odata', { headers: bearer(session) })).status).toBe(401);
    expect((await gateway.fetch('/odata', { headers: { cookie } })).status).toBe(401);
  });

  it('has a cookie that scripts cannot read and other sites do not send', async () => {
    await signUp(gateway, 'cat@example.com');
    const { headers } = await send(gateway, '/sign-in/email', {
      email: 'cat@example.com',
      password: PASSWORD,
    });
    expect(headers.getSetCookie().map((cookie) => cookie.replace(/=[^;]+/, '='))).toStrictEqual([
      'duogate.session_token=; Max-Age=604800; Path=/; HttpOnly; SameSite=Lax',
    ]);
  });

  it('gives a token of five minutes for this gateway', async () => {
    const user = await signUp(gateway, 'dora@example.com');
    const [head = '', claims = ''] = (await tokenOf(gateway, user)).split('.');
    const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
    expect(read(head)).toMatchObject({ alg: 'EdDSA' });
    const { exp, iat, ...rest } = read(claims);
    expect([rest, exp - iat]).toStrictEqual([
      { name: 'Anna', roles: ['User'], sub: user.id, iss: gateway.url, aud: gateway.url },
      300,
    ]);
  });
});

describe('whoever has signed in', () => {
  const statuses = (...sessions: readonly string[]) =>
    Promise.all(
      sessions.map(async (session) => (await gateway.fetch('/odata', { headers: bearer(session) })).status),
    );
  const NEW = 'another horse battery';

  it('changes the password, which signs out everywhere else', async () => {
    const one = await signUp(gateway, ownAddress('hal'));
    const other = await signIn(gateway, one.email);
    const { key } = await keyOf(gateway, one);
    expect(await statuses(one.session, other.session)).toStrictEqual([200, 200]);
    const body = { currentPassword: PASSWORD, newPassword: NEW };
    const { status, text, headers } = await send(gateway, '/change-password', body, bearer(one.session));
    const { token } = JSON.parse(text);
    expect([status, headers.getSetCookie().length > 0]).toStrictEqual([200, true]);
    expect(await statuses(one.session, other.session, token)).toStrictEqual([401, 401, 200]);
    expect((await gateway.fetch('/odata', { headers: { 'x-api-key': key } })).status).toBe(200);
    const attempts = [PASSWORD, NEW].map((password) =>
      send(gateway, '/sign-in/email', { email: one.email, password }),
    );
    expect((await Promise.all(attempts)).map((attempt) => attempt.status)).toStrictEqual([401, 200]);
  });

  it('signs out everywhere else', async () => {
    const one = await signUp(gateway, 'ida@example.com');
    const other = await signIn(gateway, one.email);
    expect(await statuses(one.session, other.session)).toStrictEqual([200, 200]);
    expect((await send(gateway, '/revoke-other-sessions', {}, bearer(one.session))).status).toBe(200);
    expect(await statuses(one.session, other.session)).toStrictEqual([200, 401]);
  });

  it('removes the account with all that goes with it', async () => {
    const { email, session, cookie } = await signUp(gateway, 'jan@example.com');
    const { key } = await keyOf(gateway, { email, session, cookie, id: '' });
    expect(await statuses(session)).toStrictEqual([200]);
    const headers = { cookie, origin: gateway.url };
    const { status } = await send(gateway, '/delete-user', { password: PASSWORD }, headers);
    expect([status, ...(await statuses(session))]).toStrictEqual([200, 401]);
    expect((await gateway.fetch('/odata', { headers: { 'x-api-key': key } })).status).toBe(401);
    expect((await send(gateway, '/sign-in/email', { email, password: PASSWORD })).status).toBe(401);
  });

  it.each([
    ['/change-password', { currentPassword: 'wrong horse', newPassword: NEW }],
    ['/delete-user', { password: 'wrong horse' }],
  ])('cannot guess the password at %s', async (path, body) => {
    const { email, session } = await signUp(gateway, ownAddress(path.slice(1)));
    const statuses = [];
    for (let attempt = 1; attempt <= 6; attempt++) {
      statuses.push((await send(gateway, path, body, bearer(session))).status);
    }
    expect(statuses).toStrictEqual([400, 400, 400, 400, 400, 429]);
    expect((await send(gateway, '/sign-in/email', { email, password: PASSWORD })).status).toBe(200);
  });

  it.each([
    ['/change-password', { currentPassword: PASSWORD, newPassword: 'short' }, 400],
    ['/change-password', { currentPassword: PASSWORD }, 400],
    ['/delete-user', {}, 400],
  ])('must say what %s needs, unlike %j', async (path, body, expected) => {
    const { session } = await signUp(gateway, 'kim@example.com');
    const { status } = await send(gateway, path, body, bearer(session));
    expect([status, ...(await statuses(session))]).toStrictEqual([expected, 200]);
  });

  it.each(['/change-password', '/delete-user', '/revoke-other-sessions'])(
    'shows a session for %s, not a key, a token or nothing',
    async (path) => {
      const lea = await signUp(gateway, 'lea@example.com');
      const { key } = await keyOf(gateway, lea);
      const body = { currentPassword: PASSWORD, newPassword: NEW, password: PASSWORD };
      for (const headers of [{ 'x-api-key': key }, bearer(await tokenOf(gateway, lea)), {}]) {
        expect((await send(gateway, path, body, headers)).status).toBe(401);
      }
      expect(await statuses(lea.session)).toStrictEqual([200]);
    },
  );

  it.each(['/change-password', '/delete-user', '/revoke-other-sessions', '/sign-out'])(
    'is not made to ask for %s by a page of elsewhere',
    async (path) => {
      const { cookie, session } = await signUp(gateway, 'mia@example.com');
      const body = { currentPassword: PASSWORD, newPassword: NEW, password: PASSWORD };
      for (const origin of [{}, { origin: 'https://evil.example' }]) {
        expect((await send(gateway, path, body, { cookie, ...origin })).status).toBe(403);
      }
      expect(await statuses(session)).toStrictEqual([200]);
    },
  );
});

describe('the accounts', () => {
  it.each([
    ['GET', '/sign-in/email', 405, 'POST'],
    ['POST', '/jwks', 405, 'GET, HEAD'],
    ['POST', '/update-user', 404, null],
    ['POST', '/delete-user/callback', 404, null],
    ['POST', '/request-password-reset', 404, null],
    ['POST', '/sign-in/social', 404, null],
    ['GET', '/error', 404, null],
    ['GET', '/%6awks', 404, null],
  ])('answer %s %s with %i', async (method, path, status, allow) => {
    const answer = await gateway.fetch(`/api/auth${path}`, { method });
    expect([answer.status, answer.headers.get('allow')]).toStrictEqual([status, allow]);
  });

  it.each(['https://evil.example', 'null', 'http://127.0.0.1:1'])('refuse a page of %s', async (origin) => {
    await signUp(gateway, 'eve@example.com');
    const body = { email: 'eve@example.com', password: PASSWORD };
    const { status, text, headers } = await send(gateway, '/sign-in/email', body, { origin });
    expect([status, JSON.parse(text), headers.getSetCookie()]).toStrictEqual([
      403,
      { code: 'Forbidden', message: 'The Origin header must name this service.' },
      [],
    ]);
  });

  it('show their keys, and of those the public half', async () => {
    const { text } = await gateway.fetch('/api/auth/jwks');
    const names = JSON.parse(text).keys.map((key: object) => Object.keys(key).sort());
    expect(names).toStrictEqual([['alg', 'crv', 'kid', 'kty', 'x']]);
  });
});

describe('guessing a password', () => {
  const counting = useGateway(ACCESS, EACH_TRY);
  const guess = (email: string, headers: Record<string, string> = {}) =>
    send(counting, '/sign-in/email', { email, password: 'wrong horse' }, headers);

  it.each([
    ['somebody', async () => (await signUp(counting, ownAddress('flo'))).email],
    ['an address without an account', async () => ownAddress('nobody')],
  ])('is over for %s after five times, wherever it says that it comes from', async (_, addressOf) => {
    const email = await addressOf();
    const answers = [];
    for (let attempt = 1; attempt <= 6; attempt++) {
      answers.push(await guess(email, { 'x-forwarded-for': `203.0.113.${attempt}` }));
    }
    expect(answers.map(({ status }) => status)).toStrictEqual([401, 401, 401, 401, 401, 429]);
    expect(new Set(answers.slice(0, 5).map(({ text }) => text))).toStrictEqual(
      new Set(['{"message":"Invalid email or password","code":"INVALID_EMAIL_OR_PASSWORD"}']),
    );
    expect(Number(answers[5]?.headers.get('retry-after'))).toBeGreaterThan(800);
  });

  it('is forgiven to whoever knows it', async () => {
    const { email } = await signUp(counting, ownAddress('gus'));
    for (let times = 0; times < 2; times++) {
      for (let attempt = 0; attempt < 4; attempt++) expect((await guess(email)).status).toBe(401);
      expect((await signIn(counting, email)).email).toBe(email);
    }
  });
});
