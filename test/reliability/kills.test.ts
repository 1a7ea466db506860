import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openAdministration } from '../../src/composition/auth-module.ts';
import { readConfig } from '../../src/config/config.ts';
import { ACCESS, bearer, PASSWORD } from '../auth/account-client.ts';
import { atEndOfFile } from '../support/end-of-file.ts';
import { ownAddress } from '../support/own-name.ts';
import { postsApi } from '../support/running-gateway.ts';
import { type StandInUpstream, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, documentOf, sourceOf } from '../support/temporary-project.ts';
import { type GatewayProcess, startGatewayProcess } from './gateway-process.ts';

const CLIENTS = 3;
/** When it is killed, so that work is met at its begin, in its midst and behind its end. */
const DELAYS = Array.from({ length: 12 }, (_, kill) => 30 * kill);
const BEFORE = ['posts.yaml'];
const REGISTERED = ['notes.registration.yaml', 'notes.yaml', 'posts.yaml'];
const ADMINISTRATOR = 'ada@example.com';

let upstream: StandInUpstream;
beforeAll(async () => {
  upstream = await startStandInUpstream(postsApi);
});
afterAll(() => upstream.close());

/** The status, or 0 where there was no whole answer, and the body. */
async function ask(
  gateway: GatewayProcess,
  method: string,
  path: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly text: string }> {
  try {
    const response = await fetch(`${gateway.url}/api${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  } catch {
    return { status: 0, text: '' };
  }
}

const signIn = (gateway: GatewayProcess, email: string) =>
  ask(gateway, 'POST', '/auth/sign-in/email', { email, password: PASSWORD });
const signUp = (gateway: GatewayProcess, email: string) =>
  ask(gateway, 'POST', '/auth/sign-up/email', { name: 'Anna', email, password: PASSWORD });

/** A project with accounts; the administrator's session was the last one reported. */
function killedProject() {
  const project = createProject(
    {
      '.meshrc.yaml': `sources:\n${sourceOf('Posts', './openapi/posts.yaml', upstream.url)}`,
      'openapi/posts.yaml': documentOf('Post'),
    },
    atEndOfFile,
  );
  const environment = {
    ...ACCESS,
    DATABASE_URL: project.path('accounts.sqlite'),
    MESH_CONFIG: project.path('.meshrc.yaml'),
    REGISTRY_HOSTS: '127.0.0.1',
  };
  return {
    start: () => startGatewayProcess({ environment }),
    /** Without temporary files, which are removed when they are old enough. */
    documents: () =>
      readdirSync(project.path('openapi'))
        .filter((file) => !file.startsWith('.'))
        .sort(),
    async administer(gateway: GatewayProcess): Promise<Readonly<Record<string, string>>> {
      await signUp(gateway, ADMINISTRATOR);
      const administration = await openAdministration(readConfig(environment));
      await administration.setRoles(ADMINISTRATOR, ['User', 'Admin']);
      await administration.close();
      return bearer(JSON.parse((await signIn(gateway, ADMINISTRATOR)).text).token);
    },
  };
}

/** All reported accounts exist, and no other one exists in part. */
async function expectAccounts(
  gateway: GatewayProcess,
  emails: readonly string[],
  statuses: readonly number[],
) {
  for (const [place, email] of emails.entries()) {
    const { status } = await signIn(gateway, email);
    if (statuses[place] === 200) expect(status).toBe(200);
    else if (status !== 200) {
      const again = [await signUp(gateway, email), await signIn(gateway, email)];
      expect(again.map((answer) => answer.status)).toEqual([200, 200]);
    }
  }
}

describe('a process that is killed', () => {
  const order = () => ({
    name: 'Notes',
    fileName: 'notes.yaml',
    document: documentOf('Note'),
    serviceUrl: upstream.url,
  });
  let project: ReturnType<typeof killedProject>;
  let gateway: GatewayProcess;
  let administrator: Readonly<Record<string, string>>;
  // Of its own for each try: what one of them leaves, such as a gateway that does not start, harms no other one.
  beforeEach(async () => {
    project = killedProject();
    gateway = await project.start();
    administrator = await project.administer(gateway);
  });
  afterEach(() => gateway.stop());
  const registry = (method: string, path: string, body?: object) =>
    ask(gateway, method, `/registry${path}`, body, administrator);
  const clear = async (): Promise<number> => {
    expect([200, 404, 409]).toContain((await registry('POST', '/Notes/remove', {})).status);
    return (await registry('DELETE', '/Notes')).status;
  };

  it.each(DELAYS)(
    'after %d ms loses nothing that it has told of, and leaves nothing in part',
    async (milliseconds) => {
      const emails = Array.from({ length: CLIENTS }, () => ownAddress('user'));
      const signedUp = Promise.all(emails.map((email) => signUp(gateway, email)));
      const registered = registry('POST', '', order());
      const added = registered.then(({ status }) =>
        status === 201 ? registry('POST', '/Notes/add', {}) : { status: 0, text: '' },
      );
      await delay(milliseconds);
      await gateway.stop();
      const statuses = (await signedUp).map(({ status }) => status);
      const [registration, addition] = [(await registered).status, (await added).status];
      gateway = await project.start();
      await expectAccounts(gateway, emails, statuses);
      const kept = await registry('GET', '/Notes');
      expect(registration === 201 ? [200] : [200, 404]).toContain(kept.status);
      if (addition === 200) expect(JSON.parse(kept.text)).toMatchObject({ state: 'live' });
      expect(project.documents()).toEqual(kept.status === 200 ? REGISTERED : BEFORE);
      if (kept.status === 404) expect((await registry('POST', '', order())).status).toBe(201);
      expect(await clear()).toBe(204);
      expect(project.documents()).toEqual(BEFORE);
    },
  );
});
