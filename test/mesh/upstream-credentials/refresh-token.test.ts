import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startGateway } from '../../../src/app.ts';
import { readConfig } from '../../../src/config/config.ts';
import { ACCESS, bearer, signUp, tokenOf } from '../../auth/account-client.ts';
import { outcome } from '../../cli/command.ts';
import {
  type AuthorizationServer,
  CLIENT,
  startAuthorizationServer,
} from '../../support/authorization-server.ts';
import { createPostgres, HAS_POSTGRES } from '../../support/postgres.ts';
import { sharedExaminer } from '../../support/shared-examiner.ts';
import { startStandInUpstream } from '../../support/stand-in-upstream.ts';
import { type ProjectGateway, serveProject, type TemporaryProject } from '../../support/temporary-project.ts';
import { asking, bearerOf, guardedNotes, notesDocument, notesProject, serveNotes } from './notes-scene.ts';

let server: AuthorizationServer;
let requested: number;

beforeAll(async () => {
  server = await startAuthorizationServer();
});
afterAll(() => server.close());
beforeEach(() => {
  requested = server.requests.length;
  onTestFinished(() => void vi.useRealTimers());
});

const requestsNow = (): readonly string[] => server.requests.slice(requested);

function document(): object {
  const authorizationCode = {
    authorizationUrl: `${server.url}/auth`,
    tokenUrl: `${server.url}/token`,
    scopes: { openid: 'Log in' },
  };
  return notesDocument({ Server: { type: 'oauth2', flows: { authorizationCode } } });
}

async function settings(): Promise<object> {
  const token = await server.refreshToken();
  return { refreshToken: { clientId: CLIENT.id, clientSecret: CLIENT.secret, token } };
}

const behaviour = guardedNotes((token) => server.knows(token));

/** For tests that stop it themselves. */
function startProject({ path }: TemporaryProject, environment: Readonly<Record<string, string>>) {
  const settings = { PORT: '0', LOG_LEVEL: 'silent', MESH_CONFIG: path('.meshrc.yaml'), ...environment };
  return startGateway(readConfig(settings), undefined, sharedExaminer);
}

/** The status of a read by a new user. */
async function statusAt(served: Pick<ProjectGateway, 'gateway'>): Promise<number> {
  const gateway = asking(served.gateway);
  const { session } = await signUp(gateway, 'anna@example.com');
  return (await gateway.get('Note', bearer(session)))[0];
}

describe('a refresh token (RFC 6749, 6)', () => {
  it('is exchanged where the document says, and the one that takes its place is used from then on', async () => {
    const scene = await serveNotes(await settings(), {
      document: document(),
      behaviour,
      environment: ACCESS,
    });
    expect(await statusAt(scene.served)).toBe(200);
    for (let hour = 1; hour < 4; hour += 1) {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_601_000 });
      expect(await statusAt(scene.served)).toBe(200);
    }
    server.revokeTokens();
    expect(await statusAt(scene.served)).toBe(200);
    expect(new Set(scene.authorizations()).size).toBe(5);
    expect(requestsNow()).toStrictEqual(Array.from({ length: 5 }, () => 'refresh_token'));
  });

  it('is sent once by calls that come at once', async () => {
    const scene = await serveNotes(await settings(), {
      document: document(),
      behaviour,
      environment: ACCESS,
    });
    const { session } = await signUp(scene, 'anna@example.com');
    const answers = await Promise.all(Array.from({ length: 20 }, () => scene.get('Note', bearer(session))));
    expect(new Set(answers.map(([status]) => status))).toStrictEqual(new Set([200]));
    expect(requestsNow()).toStrictEqual(['refresh_token']);
  });

  it('is kept encrypted, survives a start, and is replaced by another one of the settings', async () => {
    const upstream = await startStandInUpstream(behaviour);
    onTestFinished(() => upstream.close());
    const first = await settings();
    const project = notesProject(upstream.url, first, document());
    const environment = { ...ACCESS, DATABASE_URL: project.path('accounts.sqlite') };
    const serve = async (): Promise<number> => {
      const gateway = await startProject(project, environment);
      const status = await statusAt({ gateway });
      await gateway.close();
      return status;
    };
    expect(await serve()).toBe(200);
    const [request] = upstream.requests;
    const database = new DatabaseSync(project.path('accounts.sqlite'));
    onTestFinished(() => database.close());
    const rows = JSON.stringify(database.prepare('SELECT * FROM upstreamText').all());
    expect(rows).toContain('refresh token of Notes');
    expect(rows).not.toContain(request && bearerOf(request));
    expect(rows).not.toContain('accessToken');

    expect(await serve()).toBe(200);
    expect(requestsNow()).toHaveLength(1);

    server.revokeTokens();
    expect(await serve()).toBe(200);
    expect(requestsNow()).toHaveLength(2);

    project.write('credentials.yaml', JSON.stringify({ Notes: await settings() }));
    expect(await serve()).toBe(200);
    expect(requestsNow()).toHaveLength(3);
  });

  it('that only an earlier secret decrypts is the one of the settings again once the secret is replaced', async () => {
    const upstream = await startStandInUpstream(behaviour);
    onTestFinished(() => upstream.close());
    const project = notesProject(upstream.url, await settings(), document());
    const environment = { ...ACCESS, DATABASE_URL: project.path('accounts.sqlite') };
    const before = await startProject(project, environment);
    expect(await statusAt({ gateway: before })).toBe(200);
    await before.close();
    const next = await settings();
    project.write('credentials.yaml', JSON.stringify({ Notes: next }));
    const replaced = { ...environment, AUTH_SECRET: `${ACCESS.AUTH_SECRET}2` };
    expect((await outcome(['secret', 'replace', '--yes'], replaced)).code).toBe(0);
    const after = await serveProject(project, replaced);
    expect(await statusAt(after)).toBe(200);
    expect(requestsNow()).toStrictEqual(['refresh_token', 'refresh_token']);
  });

  it('that was used by somebody else is good no longer, and the client is not told why', async () => {
    const given = await settings();
    const scene = await serveNotes(given, { document: document(), behaviour, environment: ACCESS });
    expect(await statusAt(scene.served)).toBe(200);
    // The token of the settings has been replaced: sent again, it ends all that came of it.
    const stolen = await serveNotes(given, { document: document(), behaviour, environment: ACCESS });
    expect(await statusAt(stolen.served)).toBe(502);
    server.revokeTokens();
    const { session } = await signUp(scene, 'anna@example.com');
    expect(await scene.get('Note', bearer(session))).toStrictEqual([
      502,
      {
        error: {
          code: 'UpstreamBadResponse',
          message: 'Notes cannot be called: its authorization server sent an answer that cannot be used.',
        },
      },
    ]);
    expect(JSON.stringify(scene.served.entries())).toContain('invalid_grant');
  });

  it('needs accounts to be kept with', async () => {
    const project = notesProject('http://127.0.0.1:1', await settings(), document());
    await expect(serveProject(project)).rejects.toThrow(
      'Notes: refreshToken needs accounts: it is not possible with AUTH=off',
    );
  });
});

describe.skipIf(!HAS_POSTGRES)('a refresh token that two instances have', () => {
  it('is sent by one at a time, and both use what comes of it', async () => {
    const postgres = await createPostgres();
    onTestFinished(() => postgres.remove());
    await postgres.start();
    const upstream = await startStandInUpstream(behaviour);
    onTestFinished(() => upstream.close());
    const project = notesProject(upstream.url, await settings(), document());
    const environment = { ...ACCESS, DATABASE_URL: postgres.url, BASE_URL: 'http://gateway.example' };
    const instances = await Promise.all([1, 2].map(() => serveProject(project, environment)));
    const gateways = instances.map(({ gateway }) => asking(gateway));
    const [one] = gateways;
    if (one === undefined) throw new Error('expected a gateway');
    const { session } = await signUp(one, 'anna@example.com');
    for (let round = 1; round < 6; round += 1) {
      const answers = await Promise.all(gateways.map((gateway) => gateway.get('Note', bearer(session))));
      expect(answers.map(([status]) => status)).toStrictEqual([200, 200]);
      expect(requestsNow()).toHaveLength(round);
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_601_000 });
    }
  });

  it('is got by nobody while the accounts cannot be reached; the token that there is goes on', async () => {
    const postgres = await createPostgres();
    onTestFinished(() => postgres.remove());
    await postgres.start();
    const scene = await serveNotes(await settings(), {
      document: document(),
      behaviour,
      environment: { ...ACCESS, DATABASE_URL: postgres.url },
    });
    const anna = bearer(await tokenOf(scene, await signUp(scene, 'anna@example.com')));
    expect((await scene.get('Note', anna))[0]).toBe(200);
    await postgres.stop();
    expect((await scene.get('Note', anna))[0]).toBe(200);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_601_000 });
    expect(await scene.get('Note', anna)).toMatchObject([503, { error: { code: 'AccountsUnavailable' } }]);
  });
});
