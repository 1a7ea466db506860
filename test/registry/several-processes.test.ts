import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { outcome } from '../cli/command.ts';
import { documentOf, type TemporaryProject } from '../support/temporary-project.ts';
import {
  documentAt,
  postsProject,
  type RegistryGateway,
  register,
  serveRegistry,
} from './registry-gateway.ts';

const UPSTREAM = 'http://127.0.0.1:9';
const LOCK = '.duogate.lock';

const environmentOf = (project: TemporaryProject) => ({
  AUTH: 'off',
  MESH_CONFIG: project.path('.meshrc.yaml'),
  REGISTRY_HOSTS: '127.0.0.1',
});

/** Makes the request, and repeats it if the message says so. */
const request = async (gateway: RegistryGateway, path: string, body?: object): Promise<void> => {
  const { status, body: answer } = await gateway.ask('POST', path, body);
  if (JSON.stringify(answer).includes('Repeat the request')) return request(gateway, path, body);
  expect([status, path]).toEqual([path === '' ? 201 : 200, path]);
};

const registered = (gateway: RegistryGateway, name: string): Promise<void> =>
  request(gateway, '', { name: `${name}s`, fileName: 'api.yaml', document: documentAt(name, UPSTREAM) });

/** Runs the command, and repeats it if the message says so, such as when a slow machine loses its lock. */
const command = async (project: TemporaryProject, ...args: readonly string[]): Promise<void> => {
  const { code, stderr } = await outcome(args, environmentOf(project), '', project.directory);
  if (stderr.includes('Repeat the request')) return command(project, ...args);
  expect([code, stderr]).toEqual([0, '']);
};

const sourcesOf = (project: TemporaryProject): readonly string[] =>
  [...readFileSync(project.path('.meshrc.yaml'), 'utf8').matchAll(/name"?: ?"?(\w+)/g)].map(([, name]) =>
    String(name),
  );

it('keeps all changes that two gateways on one folder make at once', async () => {
  const project = postsProject(UPSTREAM);
  const gateways = [await serveRegistry(project), await serveRegistry(project)];
  const names = ['Ant', 'Bee', 'Cat', 'Dog', 'Elk', 'Fox'];
  const added = await Promise.all(
    names.map(async (name, index) => {
      const gateway = gateways[index % gateways.length];
      if (gateway === undefined) throw new Error('There is no gateway.');
      const { status } = await register(gateway, name, UPSTREAM);
      return [status, (await gateway.ask('POST', `/${name}s/add`)).status];
    }),
  );
  expect(added).toEqual(names.map(() => [201, 200]));
  expect(sourcesOf(project).toSorted()).toEqual(['Ants', 'Bees', 'Cats', 'Dogs', 'Elks', 'Foxs', 'Posts']);
  for (const gateway of gateways) {
    await expect.poll(() => gateway.entitySets(), { timeout: 20_000 }).toHaveLength(names.length + 1);
  }
  expect(existsSync(project.path(LOCK))).toBe(false);
});

it('keeps the changes of commands and of a gateway beside them', async () => {
  const project = postsProject(UPSTREAM);
  const gateway = await serveRegistry(project);
  project.write('bees.yaml', documentOf('Bee'));
  const changes = [
    registered(gateway, 'Ant').then(() => request(gateway, '/Ants/add')),
    command(project, 'api', 'register', 'Bees', project.path('bees.yaml'), '--service-url', UPSTREAM).then(
      () => command(project, 'api', 'add', 'Bees'),
    ),
    command(project, 'grant', 'Guest', 'Post', 'View'),
    registered(gateway, 'Cat').then(() => request(gateway, '/Cats/add')),
  ];
  await Promise.all(changes);
  expect(sourcesOf(project).toSorted()).toEqual(['Ants', 'Bees', 'Cats', 'Posts']);
  expect(readFileSync(project.path('openapi/posts.overlay.yaml'), 'utf8')).toContain('Guest');
  await expect
    .poll(() => gateway.entitySets(), { timeout: 20_000 })
    .toEqual(expect.arrayContaining(['Ant', 'Bee', 'Cat', 'Post']));
});

/** Kills the process before its nth rename or removal of a file. */
const KILLER = `data:text/javascript,${encodeURIComponent(`
  import fs from 'node:fs/promises';
  import { syncBuiltinESMExports } from 'node:module';
  let left = 3;
  for (const name of ['rename', 'rm']) {
    const act = fs[name];
    fs[name] = (...args) => {
      left -= 1;
      if (left === 0) process.kill(process.pid, 'SIGKILL');
      return act(...args);
    };
  }
  syncBuiltinESMExports();
`)}`;

it('takes over the lock of a process that was killed in the midst of a change, and undoes that', async () => {
  const project = postsProject(UPSTREAM);
  const gateway = await serveRegistry(project);
  project.write('bees.yaml', documentOf('Bee'));
  const main = join(import.meta.dirname, '../../src/cli/main.ts');
  const args = ['api', 'register', 'Bees', project.path('bees.yaml'), '--service-url', UPSTREAM];
  const child = spawn(process.execPath, ['--import', KILLER, main, ...args], {
    cwd: project.directory,
    env: environmentOf(project),
    stdio: 'ignore',
  });
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  expect([LOCK, 'openapi/bees.yaml'].map((file) => existsSync(project.path(file)))).toEqual([true, true]);
  expect((await register(gateway, 'Ant', UPSTREAM)).status).toBe(201);
  expect([LOCK, 'openapi/bees.yaml'].map((file) => existsSync(project.path(file)))).toEqual([false, false]);
});

it('leaves what was edited by hand while a change was prepared, and says so', async () => {
  const project = postsProject(UPSTREAM);
  const edited = `${documentAt('Ant', UPSTREAM)}# by hand\n`;
  const documents = createServer((_, response) => {
    project.write('openapi/ants.yaml', edited);
    response.end(documentAt('Ant', UPSTREAM).replace('title', 'x-edited: true\n  title'));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void documents.close());
  await once(documents, 'listening');
  const address = documents.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const gateway = await serveRegistry(project);
  await register(gateway, 'Ant', UPSTREAM);
  const { status, body } = await gateway.ask('POST', '/Ants/fetch', { url: `http://127.0.0.1:${port}/` });
  expect([status, body.error]).toEqual([
    409,
    {
      code: 'Conflict',
      message:
        'openapi/ants.yaml was changed while this change was prepared: nothing is changed. Repeat the request.',
    },
  ]);
  expect(readFileSync(project.path('openapi/ants.yaml'), 'utf8')).toBe(edited);
});
