import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { PHOTOS_DOCUMENT } from '../odata/streams.document.ts';
import { startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject } from '../support/temporary-project.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Stands in everything that the upstream sends, and in no request. */
const SECRET = 'Nightingale-7731';

const PHOTOS = Array.from({ length: 300 }, (_, index) => ({
  id: index + 1,
  title: `${SECRET} ${index}`,
  mime_type: 'image/png',
}));

/** Each file below the folder, with its size and the time of its last change. */
function filesIn(folder: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return files
    .map(({ parentPath, name }) => {
      const { size, mtimeMs } = statSync(join(parentPath, name));
      return `${join(parentPath, name)} ${size} ${mtimeMs}`;
    })
    .toSorted();
}

/** The files that the process has open; those that have been removed, too. Nothing where the system does not say. */
function openFiles(pid: number | undefined): readonly string[] {
  try {
    const folder = `/proc/${pid}/fd`;
    const paths = readdirSync(folder).flatMap((descriptor) => {
      try {
        return [readlinkSync(join(folder, descriptor))];
      } catch {
        return [];
      }
    });
    return paths.filter((path) => path.startsWith('/') && !path.startsWith('/dev/')).toSorted();
  } catch {
    return [];
  }
}

async function serve() {
  const upstream = await startStandInUpstream();
  const openapi = { source: './photos.json', endpoint: upstream.url };
  const project = createProject({
    '.meshrc.yaml': JSON.stringify({ sources: [{ name: 'Photos', handler: { openapi } }] }),
    'photos.json': JSON.stringify({ ...PHOTOS_DOCUMENT, 'x-odata': { maxAge: '5m' } }),
  });
  for (const folder of ['work', 'tmp']) mkdirSync(project.path(folder));
  const gateway = spawn(process.execPath, [join(ROOT, 'src/main.ts')], {
    cwd: project.path('work'),
    env: {
      PATH: process.env['PATH'] ?? '',
      AUTH: 'off',
      PORT: '0',
      // Code, which is written when the process ends.
      NODE_DISABLE_COMPILE_CACHE: '1',
      TMPDIR: project.path('tmp'),
      MESH_CONFIG: project.path('.meshrc.yaml'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(gateway, 'close');
  onTestFinished(async () => {
    gateway.kill('SIGKILL');
    await ended;
    await upstream.close();
  });
  const written: string[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(gateway.stderr).on('line', (line) => written.push(line));
    createInterface(gateway.stdout).on('line', (line) => {
      written.push(line);
      const { msg, url: told } = JSON.parse(line);
      if (msg === 'serving') resolve(told);
    });
    void ended.then(() => reject(new Error(`It ended before it served: ${written.join('\n')}`)));
  });
  return { project, upstream, gateway, ended, url, written };
}

it('writes nothing of an upstream to the disk: to no folder, to no file that is removed again, to no log', async () => {
  const { project, upstream, gateway, ended, url, written } = await serve();
  const opened = new Set<string>();
  const look = (): void => {
    for (const path of openFiles(gateway.pid)) opened.add(path);
  };
  upstream.behave(({ method, target }, reply) => {
    look();
    if (target === '/photos' && method === 'GET') reply.json(PHOTOS);
    else if (/^\/photos\/\d+$/.test(target)) reply.json(PHOTOS[0]);
    else if (method === 'GET') {
      reply.send(200, SECRET.repeat(200_000), { 'content-type': 'image/png' });
    } else if (method === 'POST') reply.send(201, JSON.stringify(PHOTOS[0]));
    else reply.send(204);
  });

  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${url}${path}`, init);
    const { body } = response;
    let text = '';
    // Written as it comes: what is open meanwhile is seen.
    for await (const chunk of body ?? []) {
      text += Buffer.from(chunk).toString('latin1');
      look();
    }
    return { status: response.status, headers: response.headers, text };
  };
  const post = (body: unknown, headers: Readonly<Record<string, string>> = {}): RequestInit => ({
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

  await ask('/odata/$metadata');
  const [filesBefore, openBefore] = [filesIn(project.directory), openFiles(gateway.pid)];
  const answers = [
    await ask('/odata/Photos'),
    await ask('/odata/Photos'),
    await ask("/odata/Photos?$filter=contains(Title,'7')&$orderby=Title desc&$top=20"),
    await ask('/odata/Photos?$apply=groupby((Title))'),
    await ask('/odata/Photos?$format=csv'),
    await ask('/odata/Photos?$format=xlsx'),
    await ask('/odata/Photos', { headers: { prefer: 'odata.maxpagesize=7' } }),
    await ask('/odata/Photos', { headers: { prefer: 'odata.track-changes' } }),
    await ask('/odata/Photos(1)'),
    await ask('/odata/Photos(1)/$value'),
    await ask('/graphql', post({ query: '{ photos { id title } }' })),
    await ask('/odata/$batch', post({ requests: [{ id: '1', method: 'GET', url: 'Photos' }] })),
    await ask('/odata/Photos', { ...post('x', { 'content-type': 'image/png' }), body: 'x'.repeat(500_000) }),
  ];
  expect(answers.map(({ status }) => status)).toStrictEqual([...Array(12).fill(200), 201]);
  // Excel's is compressed.
  expect(answers.filter(({ text }) => text.includes(SECRET))).toHaveLength(12);
  const later = await ask('/odata/Photos', { headers: { prefer: 'respond-async' } });
  const monitor = new URL(later.headers.get('location') ?? '').pathname;
  await expect.poll(async () => (await ask(monitor)).text).toContain(SECRET);

  expect(filesIn(project.directory)).toStrictEqual(filesBefore);
  expect([...opened].filter((path) => !openBefore.includes(path))).toStrictEqual([]);
  gateway.kill('SIGTERM');
  await ended;
  expect(filesIn(project.directory)).toStrictEqual(filesBefore);
  expect(
    filesBefore.filter((file) => readFileSync(file.split(' ', 1)[0] ?? '', 'utf8').includes(SECRET)),
  ).toEqual([]);
  expect(written.filter((line) => line.includes(SECRET))).toStrictEqual([]);
});
