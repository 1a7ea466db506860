import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');

/** The instructions of the stages of the image, in their order. */
const STAGES = readFileSync(join(ROOT, 'docker/Dockerfile'), 'utf8')
  .split(/^FROM .*$/m)
  .slice(1)
  .map((stage) =>
    stage.split('\n').flatMap((line) => {
      const [, name = '', words = ''] = /^(COPY|RUN|CMD) (.*)$/.exec(line) ?? [];
      return name === '' ? [] : [{ name, words }];
    }),
  );

const IGNORED = readFileSync(join(ROOT, 'docker/Dockerfile.dockerignore'), 'utf8').split('\n');

/** Copies the included files into the build context: patterns with `!`, without later exclusions. */
function copyFromContext(source: string, target: string): void {
  expect(IGNORED).toContain(`!${source}`);
  cpSync(join(ROOT, source), target, {
    recursive: true,
    filter: (path) => !IGNORED.includes(relative(ROOT, path)),
  });
}

/** Carries out the COPY instructions of a stage. */
function copyFiles(stage: (typeof STAGES)[number], folder: string, built: string): void {
  for (const { words } of stage.filter(({ name }) => name === 'COPY')) {
    const [, from, paths = ''] = /^(--from=build )?(.*)$/.exec(words) ?? [];
    const sources = paths.split(' ');
    const last = sources.pop() ?? '';
    for (const source of sources) {
      const place = join(folder, last.endsWith('/') ? join(last, basename(source)) : last);
      mkdirSync(dirname(place), { recursive: true });
      if (from === undefined) copyFromContext(source, place);
      else cpSync(join(built, relative('/app', source)), place, { recursive: true });
    }
  }
}

it('the image is made of what gets into its context, and serves data, screens and documentation', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'duogate-image-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [build = [], image = []] = STAGES;
  const [built, app] = [join(folder, 'build'), join(folder, 'app')];
  copyFiles(build, built, built);
  // The packages of the lock file, as `npm ci` would install them.
  symlinkSync(join(ROOT, 'node_modules'), join(built, 'node_modules'));
  const steps = build.filter(({ name, words }) => name === 'RUN' && !words.startsWith('npm ci'));
  for (const { words } of steps) await run('bash', ['-c', words], { cwd: built });
  copyFiles(image, app, built);

  const [node, ...command] = JSON.parse(image.at(-1)?.words ?? '[]');
  expect(node).toBe('node');
  const gateway = spawn(process.execPath, command, {
    cwd: app,
    env: { AUTH: 'off', HOST: '127.0.0.1', PORT: '0', DATABASE_URL: join(folder, 'accounts.sqlite') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    gateway.kill('SIGKILL');
  });
  const [line] = await once(gateway.stdout, 'data');
  const { url } = JSON.parse(String(line)) as { readonly url: string };
  const paths = ['/odata/$metadata', '/app/posts', '/docs/tutorial', '/health/ready'];
  const answers = await Promise.all(paths.map((path) => fetch(url + path)));
  expect(answers.map(({ status }) => status)).toStrictEqual([200, 200, 200, 200]);
});
