import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createProject, documentOf, sourceOf } from '../support/temporary-project.ts';

const MAIN = join(import.meta.dirname, '../../src/main.ts');

it('SIGHUP looks at the files, SIGUSR1 opens no inspector, and SIGUSR2 stops without failing', async () => {
  const project = createProject({
    '.meshrc.yaml': `sources:\n${sourceOf('Api', './api.yaml', 'http://127.0.0.1:9')}`,
    'a/api.yaml': documentOf('Ant'),
    'b/api.yaml': documentOf('Bee'),
    'middle/empty': '',
  });
  // Of a chain of links, the middle is in no directory that is watched.
  symlinkSync('../a/api.yaml', project.path('middle/api.yaml'));
  symlinkSync('middle/api.yaml', project.path('api.yaml'));
  const child = spawn(process.execPath, [MAIN], {
    env: {
      AUTH: 'off',
      PORT: '0',
      MESH_CONFIG: project.path('.meshrc.yaml'),
      EDITED_FILES: 'serve',
      SHUTDOWN_LEAVE_MS: '0',
    },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  const served = (): string | undefined => /"url":"([^"]*)".*"serving"/.exec(output.stdout)?.[1];
  await expect.poll(served, { timeout: 30_000 }).toBeDefined();
  const setsOf = async (): Promise<readonly string[]> => {
    const { value } = (await (await fetch(`${served()}/odata`)).json()) as {
      value: readonly { name: string }[];
    };
    return value.map(({ name }) => name);
  };
  expect(await setsOf()).toEqual(['Ant']);
  child.kill('SIGUSR1');
  await expect.poll(() => output.stdout, { timeout: 30_000 }).toContain('the inspector is not opened');
  symlinkSync('../b/api.yaml', project.path('middle/new.yaml'));
  renameSync(project.path('middle/new.yaml'), project.path('middle/api.yaml'));
  child.kill('SIGHUP');
  await expect.poll(setsOf, { timeout: 30_000 }).toEqual(['Bee']);
  child.kill('SIGUSR2');
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(output.stderr).toBe('');
});
