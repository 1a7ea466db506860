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
import { bearer, PASSWORD, type SignedIn, send, signIn, signUp } from './account-client.ts';

const ADMIN = 'ada@example.com';
const USER = 'ben@example.com';
const STRANGER = 'mallory@example.com';
const GUESSED = 'guessed@example.com';

let served: ProjectGateway;
let environment: Readonly<Record<string, string>>;
let admin: SignedIn;
let file: string;

const gateway = {
  async fetch(path: string, init?: RequestInit) {
    const response = await fetch(`${served.gateway.url}${path}`, init);
    return { status: response.status, headers: response.headers, text: await response.text() };
  },
};

beforeEach(async () => {
  const project = createProject(
    {
      'notes.yaml': documentOf('Note'),
      '.meshrc.yaml': `sources:\n${sourceOf('Notes', './notes.yaml', 'http://127.0.0.1:9')}`,
    },
    onTestFinished,
  );
  environment = await createProjectAccounts(project, { [ADMIN]: ['User', 'Admin'] });
  environment = { ...environment, MESH_CONFIG: project.path('.meshrc.yaml'), AUDIT_DAYS: '7' };
  file = project.path('accounts.sqlite');
  writeDownOld(file);
  served = await serveProject(project, environment);
  admin = await signIn(gateway, ADMIN);
});

/** As if a process had written it down long ago, and another one yesterday. */
function writeDownOld(file: string): void {
  const database = new DatabaseSync(file);
  const insert = database.prepare('INSERT INTO auditEvent (id, at, action, refused) VALUES (?, ?, ?, 0)');
  for (const days of [8, 6]) {
    insert.run(`old-${days}`, new Date(Date.now() - days * 86_400_000).toISOString(), `${days} days ago`);
  }
  database.close();
}

interface Event {
  readonly at: string;
  readonly refused: boolean;
  readonly action: string;
}

async function ask(query = '', session = admin.session) {
  const { status, text } = await gateway.fetch(`/api/auth/audit${query}`, { headers: bearer(session) });
  return { status, body: JSON.parse(text) };
}

/** The events since the admin signed in, oldest first, without moments and request ids. */
async function events(): Promise<readonly object[]> {
  const { events } = (await ask()).body;
  return events
    .map(({ at: _, request: __, ...event }: Event & { readonly request: string }) => event)
    .reverse();
}

const act = (actor: string | null, action: string, more: object = {}) => ({
  actor,
  action,
  subject: null,
  refused: false,
  address: '127.0.0.1',
  ...more,
});

describe('the audit', () => {
  it('tells who has signed up, in and out, and who has tried to', async () => {
    await send(gateway, '/sign-up/email', { name: 'Ben', email: USER, password: PASSWORD });
    await send(gateway, '/sign-in/email', { email: USER, password: 'a wrong password' });
    const user = await signIn(gateway, USER);
    await send(gateway, '/sign-in/email', { email: STRANGER, password: PASSWORD });
    await send(gateway, '/sign-out', {}, bearer(user.session));
    expect((await events()).slice(-6)).toStrictEqual([
      act(ADMIN, 'signed in'),
      act(USER, 'signed up'),
      act(USER, 'signed in', { refused: true }),
      act(USER, 'signed in'),
      act(STRANGER, 'signed in', { refused: true }),
      act(USER, 'signed out'),
    ]);
  });

  it('tells who could not sign up', async () => {
    const account = { name: 'Ben', email: USER, password: PASSWORD };
    await send(gateway, '/sign-up/email', account);
    await send(gateway, '/sign-up/email', account);
    expect((await events()).slice(-1)).toStrictEqual([act(USER, 'signed up', { refused: true })]);
  });

  it('tells who has tried to sign in too often', async () => {
    const guess = () => send(gateway, '/sign-in/email', { email: GUESSED, password: 'a wrong password' });
    const statuses: number[] = [];
    for (let count = 0; count < 6; count += 1) statuses.push((await guess()).status);
    expect(statuses).toStrictEqual([401, 401, 401, 401, 401, 429]);
    const refusal = act(GUESSED, 'signed in', { refused: true });
    expect((await events()).slice(-6)).toStrictEqual(Array.from({ length: 6 }, () => refusal));
  });

  it('tells who has made and revoked keys, and changed a password', async () => {
    const { session } = await signUp(gateway, USER);
    const { text } = await send(gateway, '/keys', { name: 'Excel' }, bearer(session));
    const { id } = JSON.parse(text);
    await gateway.fetch(`/api/auth/keys/${id}`, { method: 'DELETE', headers: bearer(session) });
    await gateway.fetch(`/api/auth/keys/${id}`, { method: 'DELETE', headers: bearer(session) });
    await send(
      gateway,
      '/change-password',
      { currentPassword: PASSWORD, newPassword: `${PASSWORD} 2` },
      bearer(session),
    );
    expect((await events()).slice(-3)).toStrictEqual([
      act(USER, 'created an API key', { subject: 'Excel' }),
      act(USER, 'revoked an API key', { subject: 'Excel' }),
      act(USER, 'changed the password'),
    ]);
  });

  it('tells who has registered and deleted an API', async () => {
    const headers = { ...bearer(admin.session), 'content-type': 'application/json' };
    const body = JSON.stringify({
      name: 'Letters',
      fileName: 'letters.yaml',
      document: documentOf('Letter'),
    });
    const { status } = await gateway.fetch('/api/registry', { method: 'POST', headers, body });
    expect(status).toBe(201);
    await gateway.fetch('/api/registry/Letters', { method: 'DELETE', headers });
    expect((await events()).slice(-2)).toStrictEqual([
      act(ADMIN, 'registered', { subject: 'Letters' }),
      act(ADMIN, 'deleted', { subject: 'Letters' }),
    ]);
  });

  it('tells what was done at the command line, and is told there', async () => {
    await signUp(gateway, USER);
    await outcome(['user', 'role', USER, 'User', 'Editor'], environment);
    const done = act('command line', 'set the roles of an account to User, Editor', {
      subject: USER,
      address: null,
    });
    expect((await events()).at(-1)).toStrictEqual(done);
    const { stdout } = await outcome(['audit', '--last', '1', '--json'], environment);
    expect(JSON.parse(stdout)).toStrictEqual({ ...done, at: expect.any(String), request: null });
    const table = await outcome(['audit', '--last', '1'], environment);
    expect(table.stdout.split('\n')[1]).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +command line +set the roles of an account to User, Editor +ben@example.com +-/,
    );
  });

  it('names requests as the log does, which names the user, too', async () => {
    const { id } = JSON.parse((await send(gateway, '/keys', { name: 'Log' }, bearer(admin.session))).text);
    expect(id).toEqual(expect.any(String));
    const [{ request, action }] = (await ask()).body.events;
    expect(served.entries()).toContainEqual(
      expect.objectContaining({ id: request, msg: action, user: admin.id, address: '127.0.0.1' }),
    );
    await gateway.fetch('/odata', { headers: bearer(admin.session) });
    await expect
      .poll(() => served.entries())
      .toContainEqual(expect.objectContaining({ msg: 'request', target: '/odata', user: admin.id }));
  });

  it.each(['//', '//x', '/x', '//?before=x', '//@:x'])('has nothing at %s', async (path) => {
    expect((await ask(path)).status).toBe(404);
  });

  it('forgets after AUDIT_DAYS', async () => {
    const actions = (await ask()).body.events.map(({ action }: Event) => action);
    expect(actions).toContain('6 days ago');
    expect(actions).not.toContain('8 days ago');
  });

  it('holds no password and no key', async () => {
    const { text } = await gateway.fetch('/api/auth/audit', { headers: bearer(admin.session) });
    expect(text).not.toContain(PASSWORD);
    expect(text).not.toContain('duo_');
  });

  it('comes in pages, each from before a moment', async () => {
    await signUp(gateway, USER);
    const { events } = (await ask()).body;
    const moment: string = events[2].at;
    expect((await ask(`?before=${moment}`)).body.events).toStrictEqual(events.slice(3));
    expect((await ask('?before=yesterday')).body).toStrictEqual({
      code: 'BadRequest',
      message: 'before must be a date and time in ISO 8601, or the next of an earlier answer.',
    });
  });

  it('is shown to administrators alone', async () => {
    const other = await signUp(gateway, 'cy@example.com');
    expect((await ask('', other.session)).status).toBe(403);
    expect((await gateway.fetch('/api/auth/audit')).status).toBe(401);
    const { text } = await send(gateway, '/keys', { name: 'Key' }, bearer(admin.session));
    const headers = { 'x-api-key': JSON.parse(text).key };
    expect((await gateway.fetch('/api/auth/audit', { headers })).status).toBe(401);
  });

  it('keeps few of many refusals', async () => {
    for (let count = 0; count < 30; count += 1) {
      await send(gateway, '/sign-in/email', { email: `x${count}@example.com`, password: 'wrong password' });
    }
    const events: readonly Event[] = (await ask()).body.events;
    const kept = events.filter(({ refused }) => refused);
    // They are counted by the minute, and one may end meanwhile.
    const minutes = [...Map.groupBy(kept, ({ at }) => at.slice(0, 'yyyy-mm-ddThh:mm'.length)).values()];
    expect(minutes).not.toHaveLength(0);
    expect(Math.max(...minutes.map(({ length }) => length))).toBeLessThanOrEqual(20);
  });

  it('loses nothing where several processes wrote at the moment at which a page ends', async () => {
    const { next: _, ...before } = (await ask('?before=2001-01-01T00:00:00.000Z')).body;
    expect(before).toStrictEqual({ events: [] });
    const database = new DatabaseSync(file);
    const insert = database.prepare('INSERT INTO auditEvent (id, at, action, refused) VALUES (?, ?, ?, 0)');
    const at = new Date(Date.now() - 5 * 86_400_000).toISOString();
    for (let number = 0; number < 250; number += 1) insert.run(`same-${number}`, at, `number ${number}`);
    database.close();
    const found: string[] = [];
    let place: string | null = new Date(Date.parse(at) + 1).toISOString();
    for (; place !== null; ) {
      const { body }: Awaited<ReturnType<typeof ask>> = await ask(`?before=${encodeURIComponent(place)}`);
      found.push(...body.events.map(({ action }: Event) => action));
      place = body.next;
    }
    const numbers = found.filter((action) => action.startsWith('number '));
    expect([numbers.length, new Set(numbers).size, found.at(-1)]).toStrictEqual([250, 250, '6 days ago']);
  });
});
