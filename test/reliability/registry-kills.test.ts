import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { outcome } from '../cli/command.ts';
import { atEndOfFile } from '../support/end-of-file.ts';
import { createProject, documentOf, sourceOf, type TemporaryProject } from '../support/temporary-project.ts';

const ROOT = join(import.meta.dirname, '../..');
const UPSTREAM = 'http://127.0.0.1:9';

/** Sends the process a signal before its nth change of a folder. */
const INTERRUPTER = `data:text/javascript,${encodeURIComponent(`
  import fs from 'node:fs/promises';
  import { syncBuiltinESMExports } from 'node:module';
  let left = Number(process.env.SIGNAL_AT);
  for (const name of ['rename', 'rm']) {
    const act = fs[name];
    fs[name] = (...args) => {
      left -= 1;
      if (left === 0) process.kill(process.pid, process.env.SIGNAL);
      return act(...args);
    };
  }
  syncBuiltinESMExports();
`)}`;

const environmentOf = (project: TemporaryProject) => ({
  AUTH: 'off',
  MESH_CONFIG: project.path('.meshrc.yaml'),
  REGISTRY_HOSTS: '127.0.0.1',
});

function startInterrupted(
  project: TemporaryProject,
  args: readonly string[],
  signal: NodeJS.Signals,
  at: number,
): ChildProcess {
  const child = spawn(process.execPath, ['--import', INTERRUPTER, join(ROOT, 'lib/bundle/cli.js'), ...args], {
    cwd: project.directory,
    env: { ...environmentOf(project), SIGNAL: signal, SIGNAL_AT: String(at) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** Resolves with whether it was killed. */
async function runKilled(project: TemporaryProject, args: readonly string[], at: number): Promise<boolean> {
  const [code, signal] = await once(startInterrupted(project, args, 'SIGKILL', at), 'exit');
  if (signal === null) expect(code).toBe(0);
  return signal === 'SIGKILL';
}

/** The files and what they hold, without what waits to be cleared away, and without when a change was made. */
function contentOf({ directory }: TemporaryProject): Readonly<Record<string, string>> {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((file) => !file.endsWith('.tmp') && statSync(join(directory, file)).isFile())
    .sort();
  return Object.fromEntries(
    files.map((file) => [file, readFileSync(join(directory, file), 'utf8').replace(/"at":"[^"]*"/, '')]),
  );
}

function copyOf(project: TemporaryProject): TemporaryProject {
  const copy = createProject({});
  cpSync(project.directory, copy.directory, { recursive: true, verbatimSymlinks: true });
  return copy;
}

const command = async (project: TemporaryProject, args: readonly string[]): Promise<void> => {
  const { code, stderr } = await outcome(args, environmentOf(project), '', project.directory);
  expect([code, stderr]).toEqual([0, '']);
};

const given = createProject({ 'notes.yaml': documentOf('Note') }, atEndOfFile);
const register = ['api', 'register', 'Notes', given.path('notes.yaml'), '--service-url', UPSTREAM];
const add = ['api', 'add', 'Notes'];

const CHANGES = [
  { args: register, after: [] },
  { args: add, after: [register] },
  { args: ['api', 'remove', 'Notes', '--yes'], after: [register, add] },
  { args: ['grant', 'Guest', 'Note', 'View'], after: [register, add] },
  { args: ['api', 'delete', 'Notes', '--yes'], after: [register, add, ['grant', 'Guest', 'Note', 'View']] },
];

const newProject = () =>
  createProject({
    '.meshrc.yaml': `sources:\n${sourceOf('Posts', './openapi/posts.yaml', UPSTREAM)}`,
    'openapi/posts.yaml': documentOf('Post'),
  });

/** The moment before the second file of a registration is written, after the note and the first file. */
const MIDST = 3;

describe('a change of the registry whose process is killed', () => {
  it.each(CHANGES)('is made whole or not at all: $args', async ({ args, after }) => {
    const project = newProject();
    for (const earlier of after) await command(project, earlier);
    const before = contentOf(project);
    const whole = copyOf(project);
    await command(whole, args);
    const later = contentOf(whole);
    expect(later).not.toEqual(before);
    const seen: string[] = [];
    for (let killAt = 1; !seen.includes('whole'); killAt += 1) {
      const killed = copyOf(project);
      const isKilled = await runKilled(killed, args, killAt);
      await command(killed, ['api', 'list']);
      const content = contentOf(killed);
      const isWhole = JSON.stringify(content) === JSON.stringify(later);
      expect(content).toEqual(isWhole ? later : before);
      if (!isKilled) expect(isWhole).toBe(true);
      seen.push(isWhole ? 'whole' : 'undone');
    }
    // The note, a file or more, and the note's going.
    expect(seen.length).toBeGreaterThan(2);
  });

  it('puts a link back that is the document of an API', async () => {
    const project = newProject();
    for (const earlier of [register, add]) await command(project, earlier);
    const document = project.path('openapi/notes.yaml');
    renameSync(document, project.path('elsewhere.yaml'));
    symlinkSync('../elsewhere.yaml', document);
    const before = contentOf(project);
    const isUndone: boolean[] = [];
    for (let killAt = 1, isKilled = true; isKilled; killAt += 1) {
      const killed = copyOf(project);
      isKilled = await runKilled(killed, ['api', 'delete', 'Notes', '--yes'], killAt);
      await command(killed, ['api', 'list']);
      if (existsSync(killed.path('openapi/notes.yaml'))) {
        expect(readlinkSync(killed.path('openapi/notes.yaml'))).toBe('../elsewhere.yaml');
        expect(contentOf(killed)).toEqual(before);
        isUndone.push(true);
      } else {
        expect(contentOf(killed)).not.toHaveProperty('openapi/notes.registration.yaml');
        isUndone.push(false);
      }
    }
    expect(isUndone.filter((each) => each).length).toBeGreaterThan(2);
    expect(isUndone.at(-1)).toBe(false);
  });

  it('is not undone where somebody has gone on with its files', async () => {
    const project = newProject();
    expect(await runKilled(project, register, MIDST)).toBe(true);
    const document = documentOf('Memo');
    project.write('openapi/notes.yaml', document);
    const left = contentOf(project);
    await command(project, ['api', 'list']);
    const { '.meshrc.yaml': _, ...kept } = contentOf(project);
    expect(kept).toEqual({
      'openapi/notes.yaml': document,
      'openapi/posts.yaml': left['openapi/posts.yaml'],
    });
  });
});

describe('a change of the registry that takes its time', () => {
  it('is not undone by another process', async () => {
    const project = newProject();
    const whole = copyOf(project);
    await command(whole, register);
    const child = startInterrupted(project, register, 'SIGSTOP', MIDST);
    await vi.waitFor(() => expect(existsSync(project.path('openapi/notes.yaml'))).toBe(true), 60_000);
    const left = contentOf(project);
    await command(project, ['api', 'list']);
    expect(contentOf(project)).toEqual(left);
    child.kill('SIGCONT');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(contentOf(project)).toEqual(contentOf(whole));
  });
});
