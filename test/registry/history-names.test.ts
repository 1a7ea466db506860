import { readFileSync, writeFileSync } from 'node:fs';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { bearer, type SignedIn, signIn } from '../auth/account-client.ts';
import { createProjectAccounts } from '../support/accounts-project.ts';
import {
  createProject,
  documentOf,
  type ProjectGateway,
  serveProject,
  sourceOf,
  type TemporaryProject,
} from '../support/temporary-project.ts';

const [ADMIN, COLLEAGUE] = ['ada@example.com', 'ben@example.com'];

let project: TemporaryProject;
let served: ProjectGateway;
let admin: SignedIn;
let colleague: SignedIn;

const gateway = {
  async fetch(path: string, init?: RequestInit) {
    const response = await fetch(`${served.gateway.url}${path}`, init);
    return { status: response.status, headers: response.headers, text: await response.text() };
  },
};

beforeEach(async () => {
  project = createProject(
    {
      'openapi/notes.yaml': documentOf('Note'),
      '.meshrc.yaml': `sources:\n${sourceOf('Notes', './openapi/notes.yaml', 'http://127.0.0.1:9')}`,
    },
    onTestFinished,
  );
  const roles = ['User', 'Admin'];
  const environment = await createProjectAccounts(project, { [ADMIN]: roles, [COLLEAGUE]: roles });
  served = await serveProject(project, { ...environment, MESH_CONFIG: project.path('.meshrc.yaml') });
  [admin, colleague] = [await signIn(gateway, ADMIN), await signIn(gateway, COLLEAGUE)];
  await describeAs(admin, 'One');
  await describeAs(colleague, 'Two');
});

async function describeAs(user: SignedIn, description: string): Promise<void> {
  const headers = { ...bearer(user.session), 'content-type': 'application/json' };
  const body = JSON.stringify({ description });
  expect((await gateway.fetch('/api/registry/Notes', { method: 'PUT', headers, body })).status).toBe(200);
}

async function names(): Promise<readonly unknown[]> {
  const { text } = await gateway.fetch('/api/registry/Notes/history', { headers: bearer(admin.session) });
  return JSON.parse(text).changes.map(({ by }: { readonly by: unknown }) => by);
}

it('tells who has changed an API by e-mail address, also when the account is gone', async () => {
  expect(await names()).toStrictEqual([COLLEAGUE, ADMIN]);
  const removed = await gateway.fetch(`/api/auth/users/${colleague.id}`, {
    method: 'DELETE',
    headers: bearer(admin.session),
  });
  expect(removed.status).toBe(204);
  expect(await names()).toStrictEqual([COLLEAGUE, ADMIN]);
});

it('tells the addresses of accounts by the ids that earlier versions have written', async () => {
  const file = project.path('openapi/.history/notes.1.json');
  const state = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...state, by: admin.id }));
  expect(await names()).toStrictEqual([COLLEAGUE, ADMIN]);
});
