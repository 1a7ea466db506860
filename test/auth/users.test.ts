import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { outcome } from '../cli/command.ts';
import { createProjectAccounts } from '../support/accounts-project.ts';
import {
  createProject,
  documentOf,
  type ProjectGateway,
  serveProject,
  sourceOf,
} from '../support/temporary-project.ts';
import { bearer, keyOf, PASSWORD, type SignedIn, send, signIn, tokenOf } from './account-client.ts';

const ADMIN = 'ada@example.com';
const LAST =
  'This is the last account with the role Admin that can sign in: give the role to another account first.';
const DATE = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

let served: ProjectGateway;
let environment: Readonly<Record<string, string>>;
let file: string;
let admin: SignedIn;

const gateway = {
  async fetch(path: string, init?: RequestInit) {
    const response = await fetch(`${served.gateway.url}${path}`, init);
    return { status: response.status, headers: response.headers, text: await response.text() };
  },
};

const PROJECT = {
  'notes.yaml': documentOf('Note').replace('User: [View, Insert]', '$&\n          Editor: [View]'),
  '.meshrc.yaml': `sources:\n${sourceOf('Notes', './notes.yaml', 'http://127.0.0.1:9')}`,
};

beforeEach(async () => {
  const project = createProject(PROJECT, onTestFinished);
  file = project.path('accounts.sqlite');
  environment = await createProjectAccounts(project, { [ADMIN]: ['User', 'Admin'] });
  environment = {
    ...environment,
    MESH_CONFIG: project.path('.meshrc.yaml'),
    SIGN_UP: 'approve',
    BASE_URL: 'http://localhost:4000',
  };
  served = await serveProject(project, environment);
  admin = await signIn(gateway, ADMIN);
});

interface AuditedEvent {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the answer's JSON is.
  readonly body: any;
}

async function ask(
  method: string,
  path: string,
  body?: unknown,
  headers = bearer(admin.session),
): Promise<AuditedEvent> {
  const { status, text } = await gateway.fetch(`/api/auth/${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status, body: text === '' ? undefined : JSON.parse(text) };
}

/** Makes an account with roles, and signs in. */
async function add(email: string, roles: readonly string[] = ['User']): Promise<SignedIn> {
  const { status } = await ask('POST', 'users', { name: 'Somebody', email, roles, password: PASSWORD });
  expect(status).toBe(201);
  return signIn(gateway, email);
}

async function deeds(most: number): Promise<readonly string[]> {
  const { events } = (await ask('GET', 'audit')).body;
  return events
    .slice(0, most)
    .map(
      ({ actor, action, subject, refused }: Record<string, unknown>) =>
        `${actor} ${action} · ${subject}${refused ? ' refused' : ''}`,
    )
    .reverse();
}

const entryOf = (email: string, more: object = {}) => ({
  id: expect.any(String),
  name: 'Somebody',
  email,
  roles: ['User'],
  state: 'active',
  createdAt: DATE,
  lastSignInAt: null,
  ...more,
});

describe('accounts', () => {
  const signUpWanda = () =>
    send(gateway, '/sign-up/email', { name: 'Wanda', email: 'wanda@example.com', password: PASSWORD });

  it('are listed, with their state, their last sign-in and the roles that there are', async () => {
    await signUpWanda();
    expect(await ask('GET', 'users')).toStrictEqual({
      status: 200,
      body: {
        users: [
          entryOf(ADMIN, { name: 'Ada', roles: ['User', 'Admin'], lastSignInAt: DATE }),
          entryOf('wanda@example.com', { name: 'Wanda', state: 'waiting' }),
        ],
        total: 2,
        waiting: 1,
        next: null,
        roles: ['User', 'Admin', 'Editor'],
      },
    });
  });

  it('are approved, disabled and enabled, which is written down', async () => {
    await signUpWanda();
    const [wanda] = (await ask('GET', 'users?state=waiting')).body.users;
    expect((await ask('PATCH', `users/${wanda.id}`, { enabled: true })).body).toStrictEqual({
      ...wanda,
      state: 'active',
    });
    const { session } = await signIn(gateway, wanda.email);
    const key = await keyOf(gateway, { ...admin, session });
    const odata = async (headers: Record<string, string>) =>
      (await gateway.fetch('/odata', { headers })).status;
    expect([await odata(bearer(session)), await odata({ 'x-api-key': key.key })]).toStrictEqual([200, 200]);
    const { body } = await ask('PATCH', `users/${wanda.id}`, {
      enabled: false,
      roles: ['User', 'Night.Watch'],
    });
    expect(body).toStrictEqual({
      ...wanda,
      state: 'disabled',
      roles: ['User', 'Night.Watch'],
      lastSignInAt: DATE,
    });
    // Not within ten seconds: at once.
    expect([await odata(bearer(session)), await odata({ 'x-api-key': key.key })]).toStrictEqual([401, 401]);
    expect((await ask('PATCH', `users/${wanda.id}`, { enabled: true })).body.state).toBe('active');
    expect([await odata(bearer(session)), await odata({ 'x-api-key': key.key })]).toStrictEqual([401, 200]);
    const reported = (await deeds(20)).filter(
      (deed) => deed.startsWith(`${ADMIN} `) && deed.endsWith('wanda@example.com'),
    );
    expect(reported).toStrictEqual([
      `${ADMIN} approved an account · wanda@example.com`,
      `${ADMIN} set the roles of an account to User, Night.Watch · wanda@example.com`,
      `${ADMIN} disabled an account · wanda@example.com`,
      `${ADMIN} enabled an account · wanda@example.com`,
    ]);
  });

  it('are shown one by one, with sessions and keys, and signed out everywhere', async () => {
    const user = await add('sessions@example.com');
    await keyOf(gateway, user);
    await signIn(gateway, user.email);
    const shown = entryOf(user.email, { lastSignInAt: DATE, sessions: 2, keys: ['Excel'] });
    expect((await ask('GET', `users/${user.id}`)).body).toStrictEqual(shown);
    expect((await ask('DELETE', `users/${user.id}/sessions`)).status).toBe(204);
    expect((await ask('GET', `users/${user.id}`)).body).toStrictEqual({ ...shown, sessions: 0 });
    expect((await gateway.fetch('/odata', { headers: bearer(user.session) })).status).toBe(401);
    expect(await deeds(1)).toStrictEqual([`${ADMIN} signed an account out everywhere · ${user.email}`]);
  });

  it('are made with a password, and given another one, which ends their sessions', async () => {
    const { status, body } = await ask('POST', 'users', { name: 'Gina', email: 'Gina@example.com' });
    expect([status, body]).toStrictEqual([
      201,
      { user: entryOf('gina@example.com', { name: 'Gina' }), password: expect.stringMatching(/^[\w-]{20}$/) },
    ]);
    const enter = async (password: string) => {
      const { status, text } = await send(gateway, '/sign-in/email', { email: 'gina@example.com', password });
      return { status, session: JSON.parse(text).token };
    };
    const { session } = await enter(body.password);
    const { password } = (await ask('POST', `users/${body.user.id}/password`)).body;
    expect((await gateway.fetch('/odata', { headers: bearer(session) })).status).toBe(401);
    expect([(await enter(body.password)).status, (await enter(password)).status]).toStrictEqual([401, 200]);
    expect((await ask('POST', 'users', { name: 'Gina', email: 'gina@example.com' })).status).toBe(409);
  });

  it('are removed with their sessions and keys', async () => {
    const user = await add('gone@example.com');
    const { key } = await keyOf(gateway, user);
    expect(await ask('DELETE', `users/${user.id}`)).toStrictEqual({ status: 204, body: undefined });
    for (const headers of [bearer(user.session), { 'x-api-key': key }])
      expect((await gateway.fetch('/odata', { headers })).status).toBe(401);
    expect((await send(gateway, '/sign-in/email', { email: user.email, password: PASSWORD })).status).toBe(
      401,
    );
    expect(await ask('GET', `users/${user.id}`)).toStrictEqual({
      status: 404,
      body: { code: 'NotFound', message: 'There is no account with this id.' },
    });
    const database = new DatabaseSync(file);
    const left = ['session', 'account', 'apiKey'].map((table) =>
      database.prepare(`SELECT count(*) AS n FROM ${table} WHERE userId = ?`).get(user.id),
    );
    database.close();
    expect(left.map((row) => row?.['n'])).toStrictEqual([0, 0, 0]);
  });
});

describe('a search of accounts', () => {
  beforeEach(() => {
    const database = new DatabaseSync(file);
    const insert = database.prepare(
      'INSERT INTO user (id, name, email, emailVerified, createdAt, updatedAt, roles, disabled) VALUES (?, ?, ?, 0, ?, ?, ?, 0)',
    );
    const names = ['Per 100% Cent', 'Per 100 Cent', 'under_score', 'underXscore', 'back\\slash', 'ÖSTEN'];
    const now = new Date().toISOString();
    const many = Array.from({ length: 120 }, (_, index) => `many${String(index).padStart(3, '0')}`);
    for (const [index, name] of [...names, ...many].entries())
      insert.run(
        `made${index}`,
        name,
        `${index < 6 ? `name${index}` : name}@crowd.example`,
        now,
        now,
        '["User"]',
      );
    database.close();
  });

  it.each([
    ['100%', ['Per 100% Cent']],
    ['_', ['under_score']],
    ['\\', ['back\\slash']],
    ['UNDER', ['under_score', 'underXscore']],
    ['ÖST', ['ÖSTEN']],
    ['NAME4@CROWD', ['back\\slash']],
    ["' OR 1=1 --", []],
  ])('for %s finds it as it is written', async (text, expected) => {
    const { users, total } = (await ask('GET', `users?search=${encodeURIComponent(text)}`)).body;
    const names = users.map(({ name }: { readonly name: string }) => name);
    expect([names.sort(), total]).toStrictEqual([expected.toSorted(), expected.length]);
  });

  it('comes in pages, each behind the last address of the one before', async () => {
    const sizes: number[] = [];
    const seen = new Set<string>();
    for (let next: string | null = ''; next !== null; ) {
      const { body }: AuditedEvent = await ask('GET', `users?search=many&after=${encodeURIComponent(next)}`);
      expect(body.total).toBe(120);
      for (const { email } of body.users) seen.add(email);
      sizes.push(body.users.length);
      next = body.next;
    }
    expect([sizes, seen.size]).toStrictEqual([[50, 50, 20], 120]);
  });

  it('of the command line lists all of them', async () => {
    const { stdout } = await outcome(['user', 'list'], environment);
    expect(stdout.split('\n').filter((line) => line.includes('@crowd.example'))).toHaveLength(126);
  });
});

describe('the last administrator', () => {
  it('stays one, whatever is tried', async () => {
    for (const change of [{ roles: ['User'] }, { enabled: false }, { roles: ['admin'], enabled: true }])
      expect(await ask('PATCH', `users/${admin.id}`, change)).toStrictEqual({
        status: 409,
        body: { code: 'Conflict', message: LAST },
      });
    expect((await ask('DELETE', `users/${admin.id}`)).status).toBe(409);
    expect(await deeds(1)).toStrictEqual([`${ADMIN} removed an account · ${ADMIN} refused`]);
    const own = await send(gateway, '/delete-user', { password: PASSWORD }, bearer(admin.session));
    expect([own.status, JSON.parse(own.text)]).toStrictEqual([409, { code: 'Conflict', message: LAST }]);
    const { code, stderr } = await outcome(['user', 'remove', ADMIN, '--yes'], environment);
    expect([code, stderr]).toStrictEqual([1, `${LAST}\n`]);
    expect((await ask('GET', `users/${admin.id}`)).body).toMatchObject({
      roles: ['User', 'Admin'],
      state: 'active',
    });
  });

  it('is no administrator who cannot sign in', async () => {
    const other = await add('sleeper@example.com', ['Admin']);
    await ask('PATCH', `users/${other.id}`, { enabled: false });
    expect((await ask('PATCH', `users/${admin.id}`, { roles: ['User'] })).status).toBe(409);
    await ask('DELETE', `users/${other.id}`);
  });

  it('stays where two take the role from each other, delete themselves and run the command at once', async () => {
    const second = await add('second@example.com', ['Admin']);
    const results = await Promise.all([
      ask('PATCH', `users/${second.id}`, { roles: ['User'] }),
      ask('PATCH', `users/${admin.id}`, { enabled: false }, bearer(second.session)),
      send(gateway, '/delete-user', { password: PASSWORD }, bearer(second.session)),
      outcome(['user', 'disable', ADMIN], environment),
    ]);
    expect(results).toHaveLength(4);
    const { stdout } = await outcome(['user', 'list'], environment);
    const administrators = stdout.split('\n').filter((line) => /Admin/.test(line) && !/disabled/.test(line));
    expect(administrators).toHaveLength(1);
    // The first user is the administrator again, whichever command won.
    await outcome(['user', 'enable', ADMIN], environment);
    await outcome(['user', 'role', ADMIN, 'User', 'Admin'], environment);
    admin = await signIn(gateway, ADMIN);
  });
});

describe('an invitation', () => {
  it('is made, listed, used and gone', async () => {
    const { status, body } = await ask('POST', 'invitations', {
      email: 'Ivo@example.com',
      roles: ['User', 'Editor'],
      days: 3,
    });
    const { url, mailed, ...invitation } = body;
    expect([status, mailed, invitation]).toStrictEqual([
      201,
      false,
      {
        id: expect.any(String),
        email: 'ivo@example.com',
        roles: ['User', 'Editor'],
        invitedBy: ADMIN,
        createdAt: DATE,
        expiresAt: DATE,
      },
    ]);
    const days = (Date.parse(invitation.expiresAt) - Date.parse(invitation.createdAt)) / 86_400_000;
    const { origin, pathname, searchParams } = new URL(url);
    expect([days, origin, pathname, searchParams.get('email')]).toStrictEqual([
      3,
      'http://localhost:4000',
      '/app/sign-up',
      'ivo@example.com',
    ]);
    expect((await ask('GET', 'invitations')).body).toStrictEqual({ invitations: [invitation] });
    const text = searchParams.get('invitation');
    await send(gateway, '/sign-up/email', {
      name: 'Ivo',
      email: 'ivo@example.com',
      password: PASSWORD,
      invitation: text,
    });
    const { id } = await signIn(gateway, 'ivo@example.com');
    expect((await ask('GET', `users/${id}`)).body).toMatchObject({
      roles: ['User', 'Editor'],
      state: 'active',
    });
    expect((await ask('GET', 'invitations')).body).toStrictEqual({ invitations: [] });
    // Not even after the account is gone.
    await ask('DELETE', `users/${id}`);
    await send(gateway, '/sign-up/email', {
      name: 'Ivo',
      email: 'ivo@example.com',
      password: PASSWORD,
      invitation: text,
    });
    expect((await ask('GET', 'users?search=ivo@')).body.users[0]).toMatchObject({
      roles: ['User'],
      state: 'waiting',
    });
  });

  it('is withdrawn, and good for nothing then', async () => {
    const { id, url } = (await ask('POST', 'invitations', { email: 'eve@example.com', roles: ['Admin'] }))
      .body;
    expect((await ask('DELETE', `invitations/${id}`)).status).toBe(204);
    expect(await ask('DELETE', `invitations/${id}`)).toStrictEqual({
      status: 404,
      body: { code: 'NotFound', message: 'There is no such invitation.' },
    });
    const invitation = new URL(url).searchParams.get('invitation');
    await send(gateway, '/sign-up/email', {
      name: 'Eve',
      email: 'eve@example.com',
      password: PASSWORD,
      invitation,
    });
    expect((await ask('GET', 'users?search=eve@')).body.users[0]).toMatchObject({
      roles: ['User'],
      state: 'waiting',
    });
    expect((await deeds(3)).slice(0, 2)).toStrictEqual([
      `${ADMIN} invited a user · eve@example.com`,
      `${ADMIN} withdrew an invitation · eve@example.com`,
    ]);
  });

  it('is not made for who has an account', async () => {
    expect(await ask('POST', 'invitations', { email: ADMIN.toUpperCase() })).toStrictEqual({
      status: 409,
      body: { code: 'Conflict', message: 'ADA@EXAMPLE.COM already has an account.' },
    });
  });

  it('is not made where nobody can sign up', async () => {
    const { gateway: closed } = await serveProject(createProject(PROJECT, onTestFinished), {
      ...environment,
      SIGN_UP: 'off',
    });
    const answer = await fetch(`${closed.url}/api/auth/invitations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...bearer(admin.session) },
      body: JSON.stringify({ email: 'new@example.com' }),
    });
    expect([answer.status, await answer.json()]).toStrictEqual([
      409,
      {
        code: 'Conflict',
        message: 'Nobody can sign up here, not even by invitation (SIGN_UP=off): create the account instead.',
      },
    ]);
  });

  it('is kept as a hash alone, and stands in no list, no log and no audit', async () => {
    const { url } = (await ask('POST', 'invitations', { email: 'hidden@example.com' })).body;
    const text = new URL(url).searchParams.get('invitation') ?? '';
    expect(text).toMatch(/^[\w-]{43}$/);
    const database = new DatabaseSync(file);
    const rows = database.prepare('SELECT * FROM invitation').all();
    database.close();
    const lists = await Promise.all(['invitations', 'audit'].map((path) => ask('GET', path)));
    expect(JSON.stringify([rows, lists, served.entries()])).not.toContain(text);
  });
});

describe('a password that an administrator gives', () => {
  it('is taken unless it is easy to guess, and told to nobody', async () => {
    const { id, session } = await add('given@example.com');
    expect(await ask('POST', `users/${id}/password`, { password: 'given@example.com' })).toStrictEqual({
      status: 400,
      body: { code: 'BadRequest', message: expect.stringContaining('too easy to guess') },
    });
    expect(
      (await send(gateway, '/sign-in/email', { email: 'given@example.com', password: PASSWORD })).status,
    ).toBe(200);
    const password = 'cobalt lantern orchard';
    expect(await ask('POST', `users/${id}/password`, { password })).toStrictEqual({
      status: 200,
      body: { password: null },
    });
    const answers = [PASSWORD, password].map((each) =>
      send(gateway, '/sign-in/email', { email: 'given@example.com', password: each }),
    );
    expect((await Promise.all(answers)).map(({ status }) => status)).toStrictEqual([401, 200]);
    const { status } = await gateway.fetch('/odata', { headers: bearer(session) });
    expect(status).toBe(401);
  });
});

describe('what is asked of accounts', () => {
  const WHO = 'Accounts are managed by users with the role Admin.';

  it.each(['users', 'invitations'])(
    'is answered to administrators with a session alone: %s',
    async (path) => {
      const other = await add(`other-${path}@example.com`);
      const { key } = await keyOf(gateway, admin);
      const token = await tokenOf(gateway, admin);
      const answers = await Promise.all(
        [bearer(other.session), { 'x-api-key': key }, bearer(token), {}].flatMap((headers) => [
          ask('GET', path, undefined, headers as Record<string, string>),
          ask('POST', path, { email: 'x@example.com', name: 'X' }, headers as Record<string, string>),
        ]),
      );
      expect(answers.map(({ status }) => status)).toStrictEqual([403, 403, 401, 401, 401, 401, 401, 401]);
      expect(answers[0]?.body).toStrictEqual({ code: 'Forbidden', message: WHO });
    },
  );

  it('is refused where another origin sends the cookie', async () => {
    for (const [method, path] of [
      ['PATCH', `users/${admin.id}`],
      ['DELETE', `users/${admin.id}`],
      ['POST', 'invitations'],
    ] as const)
      for (const origin of [{ origin: 'http://evil.example' }, {}])
        expect((await ask(method, path, {}, { cookie: admin.cookie, ...origin })).status).toBe(403);
    const own = { cookie: admin.cookie, origin: 'http://localhost:4000' };
    expect((await ask('PATCH', `users/${admin.id}`, { enabled: true }, own)).status).toBe(200);
  });

  it.each([
    [
      'PATCH',
      { roles: [] },
      'roles must be a list of 1 to 50 names of roles, each of 1 to 64 letters, digits and _.:/-.',
    ],
    ['PATCH', { roles: ['User', 'User'] }, expect.stringContaining('roles must be')],
    ['PATCH', { roles: ['a "quoted" one'] }, expect.stringContaining('roles must be')],
    ['PATCH', { roles: 'Admin' }, expect.stringContaining('roles must be')],
    ['PATCH', { enabled: 'yes' }, 'enabled must be true or false.'],
    ['PATCH', { disabled: true }, 'The body must have roles, enabled, or both.'],
  ])('must be right: %s %j', async (method, body, message) => {
    expect(await ask(method, `users/${admin.id}`, body)).toStrictEqual({
      status: 400,
      body: { code: 'BadRequest', message },
    });
  });

  it.each([
    ['GET', 'users?state=asleep', 400, 'state must be active, waiting or disabled.'],
    ['GET', `users?search=${'x'.repeat(255)}`, 400, 'search must have at most 254 characters.'],
    ['PUT', 'users', 405, 'Allowed here: GET, HEAD, POST.'],
    ['PUT', 'users/x', 405, 'Allowed here: GET, HEAD, PATCH, DELETE.'],
    ['GET', 'users/x/sessions', 405, 'Allowed here: DELETE.'],
    ['GET', 'users/x/y', 404, 'There is nothing at this path.'],
    ['GET', 'users/x', 404, 'There is no account with this id.'],
    ['POST', 'users/x/password', 404, 'There is no account with this id.'],
    ['GET', 'invitations/x', 405, 'Allowed here: DELETE.'],
    ['PUT', 'invitations', 405, 'Allowed here: GET, HEAD, POST.'],
    ['GET', 'invitations/x/y', 404, 'There is nothing at this path.'],
    ['DELETE', 'invitations/x', 404, 'There is no such invitation.'],
    ['GET', 'users/x/password', 405, 'Allowed here: POST.'],
    ['POST', 'audit', 405, 'Allowed here: GET, HEAD.'],
    ['PUT', 'keys', 405, 'Allowed here: GET, HEAD, POST.'],
    ['GET', 'keys/x', 405, 'Allowed here: DELETE.'],
    ['GET', 'keys/x/y', 404, 'There is nothing at this path.'],
    ['PUT', 'issuers', 405, 'Allowed here: GET.'],
    ['POST', 'get-session', 405, 'Allowed here: GET, HEAD.'],
    ['GET', 'sign-out', 405, 'Allowed here: POST.'],
    ['GET', 'list-sessions', 404, 'There is nothing at this path.'],
  ])('must be there: %s %s', async (method, path, status, message) => {
    const answer = await ask(method, path);
    expect([answer.status, answer.body.message]).toStrictEqual([status, message]);
  });
});
