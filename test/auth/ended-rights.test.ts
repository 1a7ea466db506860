import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { asking } from '../mesh/upstream-credentials/notes-scene.ts';
import { createProjectAccounts } from '../support/accounts-project.ts';
import { startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, documentOf, serveProject, sourceOf } from '../support/temporary-project.ts';
import { bearer, keyOf, PASSWORD, type SignedIn, send, signIn, tokenOf } from './account-client.ts';

const ADMIN = 'ada@example.com';
const USER = 'ben@example.com';

let admin: SignedIn;
let user: SignedIn;
let credentials: Readonly<Record<Kind, Record<string, string>>>;
let keyId: string;

type Kind = 'session' | 'cookie' | 'token' | 'key';

let gateway: ReturnType<typeof asking>;

beforeEach(async () => {
  const upstream = await startStandInUpstream((_, reply) =>
    reply.send(200, JSON.stringify([{ id: 1, title: 'Cedar' }])),
  );
  onTestFinished(() => upstream.close());
  const project = createProject(
    {
      'openapi/notes.yaml': documentOf('Note'),
      '.meshrc.yaml': `sources:\n${sourceOf('Notes', './openapi/notes.yaml', upstream.url)}`,
    },
    onTestFinished,
  );
  const environment = await createProjectAccounts(project, {
    [ADMIN]: ['User', 'Admin'],
    [USER]: ['User'],
  });
  const served = await serveProject(project, {
    ...environment,
    MESH_CONFIG: project.path('.meshrc.yaml'),
    BASE_URL: 'http://localhost:4000',
    REGISTRY_HOSTS: '127.0.0.1',
  });
  gateway = asking(served.gateway);
  [admin, user] = [await signIn(gateway, ADMIN), await signIn(gateway, USER)];
  const { id, key } = await keyOf(gateway, user);
  keyId = id;
  credentials = {
    session: bearer(user.session),
    cookie: { cookie: user.cookie },
    token: bearer(await tokenOf(gateway, user)),
    key: { 'x-api-key': key },
  };
  // What is remembered of them is from before the act.
  expect(await statuses()).toEqual(ALL);
});

/** The status of a list by OData and of the same by GraphQL, by credential. */
async function statuses(): Promise<Readonly<Record<Kind, string>>> {
  const read = Object.entries(credentials).map(async ([kind, headers]) => {
    const odata = await gateway.fetch('/odata/Note', { headers });
    const graphql = await gateway.fetch('/graphql', {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', origin: 'http://localhost:4000' },
      body: JSON.stringify({ query: '{ notes { title } }' }),
    });
    const isGiven = graphql.status === 200 && JSON.parse(graphql.text).data?.notes?.length === 1;
    return [kind, `${odata.status} ${isGiven ? 'given' : 'refused'}`];
  });
  return Object.fromEntries(await Promise.all(read));
}

const GIVEN = '200 given';
const ALL = { session: GIVEN, cookie: GIVEN, token: GIVEN, key: GIVEN };

async function administer(method: string, path: string, body?: unknown): Promise<number> {
  const { status } = await gateway.fetch(`/api/${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...bearer(admin.session) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return status;
}

const NONE = '401 refused';
const FORBIDDEN = '403 refused';
const SIGNED_OUT = { ...ALL, session: NONE, cookie: NONE };

/** Acts, with their status and what the credentials are good for afterwards. A token is valid for its five minutes. */
const ACTS: Readonly<Record<string, readonly [act: () => Promise<number>, status: number, left: object]>> = {
  'the account is disabled': [
    () => administer('PATCH', `auth/users/${user.id}`, { enabled: false }),
    200,
    { ...SIGNED_OUT, key: NONE },
  ],
  'the account is removed': [
    () => administer('DELETE', `auth/users/${user.id}`),
    204,
    { ...SIGNED_OUT, key: NONE },
  ],
  'the role is taken': [
    () => administer('PATCH', `auth/users/${user.id}`, { roles: ['Guest'] }),
    200,
    { session: FORBIDDEN, cookie: FORBIDDEN, token: GIVEN, key: FORBIDDEN },
  ],
  'the sessions are ended': [() => administer('DELETE', `auth/users/${user.id}/sessions`), 204, SIGNED_OUT],
  'another password is set': [
    () => administer('POST', `auth/users/${user.id}/password`, {}),
    200,
    SIGNED_OUT,
  ],
  'the user signs out': [
    async () => (await send(gateway, '/sign-out', '', credentials.session)).status,
    200,
    SIGNED_OUT,
  ],
  'the user chooses another password': [
    async () =>
      (
        await send(
          gateway,
          '/change-password',
          { currentPassword: PASSWORD, newPassword: 'another horse entirely', revokeOtherSessions: true },
          credentials.session,
        )
      ).status,
    200,
    SIGNED_OUT,
  ],
  'the key is revoked': [
    async () =>
      (
        await gateway.fetch(`/api/auth/keys/${keyId}`, {
          method: 'DELETE',
          headers: credentials.session,
        })
      ).status,
    204,
    { ...ALL, key: NONE },
  ],
  'the right is granted to another role instead': [
    () =>
      administer('POST', 'registry/Notes/grant', {
        resources: [{ name: 'Note', grants: { Guest: ['View'] } }],
      }),
    200,
    { session: FORBIDDEN, cookie: FORBIDDEN, token: FORBIDDEN, key: FORBIDDEN },
  ],
};

describe('credentials that were just used end when', () => {
  it.each(Object.entries(ACTS))('%s', async (_, [act, status, left]) => {
    expect(await act()).toBe(status);
    expect(await statuses()).toEqual(left);
  });
});
