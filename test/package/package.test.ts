import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { slowDown } from '../web/browser.ts';
import { hasChromium, launchChromium } from '../web/chromium.ts';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** More would mean that something is packed that does not run. */
const MOST_PACKED_BYTES = 10_000_000;

let folder: string;
let packedBytes: number;
let upstream: Server;
let document: string;
const TRAINS = readFileSync(join(import.meta.dirname, 'trains.yaml'), 'utf8');
/** The content of `/trains.yaml`, which its publisher changes. */
let trains = TRAINS;

const STATIONS = [
  { id: 'bln', name: 'Berlin', country: 'DE', platforms: 16 },
  { id: 'par', name: 'Paris', country: 'FR', platforms: 32 },
];

const ENVIRONMENT = {
  PATH: process.env['PATH'] ?? '',
  HOME: process.env['HOME'] ?? '',
  // The stand-in is on this machine.
  REGISTRY_HOSTS: '127.0.0.1',
};

/** Packs the package as it is published, and installs it where nothing of the repository is. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'duogate-package-'));
  await run('npm', ['pack', '--pack-destination', folder], { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 });
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  packedBytes = statSync(join(folder, tarball)).size;
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  const quietly = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  await run('npm', ['install', ...quietly, `./${tarball}`], { cwd: folder });
  const posts = readFileSync(join(ROOT, 'openapi/posts.yaml'), 'utf8');
  document = posts.replace('        grants:\n          User: [View, Insert]\n', '');
  writeFileSync(join(folder, 'posts.yaml'), document);
  upstream = createServer(({ url = '' }, response) => {
    response.setHeader('content-type', url === '/trains.yaml' ? 'application/yaml' : 'application/json');
    if (url === '/trains.yaml') response.end(trains);
    else if (url.startsWith('/stations')) response.end(JSON.stringify({ data: STATIONS, links: {} }));
    else response.end('[{"userId":1,"id":1,"title":"First","body":"Hello"}]');
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
});

afterAll(() => {
  upstream.close();
  rmSync(folder, { recursive: true, force: true });
});

function command(): string {
  return join(folder, 'node_modules/.bin/duogate');
}

/** A folder of its own, so that a test can be tried again, with the document. */
function createFolder(): string {
  const own = mkdtempSync(join(folder, 'project-'));
  writeFileSync(join(own, 'posts.yaml'), document);
  return own;
}

function duogate(args: readonly string[], cwd = folder) {
  return run(command(), args, { cwd, env: ENVIRONMENT });
}

function start(args: readonly string[], cwd = folder): ChildProcessByStdio<null, Readable, Readable> {
  const child = spawn(command(), args, {
    cwd,
    env: { ...ENVIRONMENT, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGTERM');
  });
  return child;
}

/** The output up to a match; fails if the process ends before. */
async function saying(child: ReturnType<typeof start>, pattern: RegExp): Promise<string> {
  let [said, failures] = ['', ''];
  child.stderr.on('data', (chunk) => {
    failures += String(chunk);
  });
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    said += String(chunk);
    if (pattern.test(said)) return said;
  }
  throw new Error(`It said ${said}${failures}`);
}

describe('the package', () => {
  it('is small, and one with its libraries, whose licenses it brings', () => {
    expect(packedBytes).toBeLessThan(MOST_PACKED_BYTES);
    const installed = readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'));
    expect(installed).toStrictEqual(['duogate']);
    const licenses = readFileSync(join(folder, 'node_modules/duogate/lib/LICENSES.txt'), 'utf8');
    expect(licenses).toMatch(/^graphql 16\S+\nMIT$/m);
  });

  it('tells versions and models, and what is wrong', async () => {
    expect((await duogate(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect((await duogate(['model', 'posts.yaml'])).stdout).toContain('Post');
    expect((await duogate(['validate', 'posts.yaml'])).stdout).toContain('posts.yaml: ');
  });

  it('serves a document to whom it is granted', async () => {
    const project = createFolder();
    const { port } = upstream.address() as AddressInfo;
    const output = await saying(
      start(['serve', 'posts.yaml', '--upstream', `http://127.0.0.1:${port}`], project),
      /curl .*\n/,
    );
    expect(output).toContain("nobody can use them yet: duogate grant User '*' View");
    const [, key = '', url = ''] = /X-API-Key: (\S+)' '([^']+)'/.exec(output) ?? [];
    const status = async () => (await fetch(url, { headers: { 'x-api-key': key } })).status;
    expect(await status()).toBe(403);
    await duogate(['grant', 'User', 'Post', 'View'], project);
    await expect.poll(status, { timeout: 30_000, interval: 250 }).toBe(200);
    expect(readFileSync(join(project, 'posts.yaml'), 'utf8')).toBe(document);
    expect((await duogate(['user', 'list'], project)).stdout).toContain('admin@example.com');
    expect((await duogate(['api', 'list'], project)).stdout).toContain('posts');
    const page = await fetch(new URL('/', url), { headers: { accept: 'text/html' } });
    expect([page.status, page.headers.get('content-type')]).toStrictEqual([
      200,
      expect.stringContaining('text/html'),
    ]);
    expect(await (await fetch(new URL('/docs/', url))).text()).toContain('<title>Duogate</title>');
  });

  it.skipIf(!hasChromium())(
    'lets an administrator grant in a browser, and tells who has done it',
    async () => {
      const { port } = upstream.address() as AddressInfo;
      const project = createFolder();
      const output = await saying(
        start(['serve', 'posts.yaml', '--upstream', `http://127.0.0.1:${port}`], project),
        /curl .*\n/,
      );
      const [, password = ''] = /password (\S+)/.exec(output) ?? [];
      const [, key = '', row = ''] = /X-API-Key: (\S+)' '([^']+)'/.exec(output) ?? [];
      const browser = await launchChromium();
      onTestFinished(() => browser.close());
      const page = await browser.newPage({ baseURL: new URL('/', row).href });
      await slowDown(page);
      await page.goto(`/app/sign-in?return=${encodeURIComponent('/app/apis/posts/access')}`);
      await page.getByLabel('E-mail').fill('admin@example.com');
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('checkbox', { name: 'User may View Post', exact: true }).check();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved. It takes effect immediately.').waitFor();
      expect((await fetch(row, { headers: { 'x-api-key': key } })).status).toBe(200);
      const { stdout } = await duogate(['audit'], project);
      expect(stdout).toMatch(/ admin@example\.com +granted Post +posts +127\.0\.0\.1$/m);
      expect(readFileSync(join(project, 'posts.yaml'), 'utf8')).toBe(document);
    },
  );

  it('has no vulnerability that the registry knows of, where it says', async () => {
    const { stdout } = await run('npm', ['audit', '--omit=dev', '--json'], { cwd: folder }).catch(
      (error: { readonly stdout: string }) => error,
    );
    const { vulnerabilities } = JSON.parse(stdout);
    if (vulnerabilities === undefined) console.warn('The registry answers no audit: nothing is known.');
    else expect(vulnerabilities).toStrictEqual({});
  });

  it('takes an API by its URL, and a document of it that was not meant back', async () => {
    const { port } = upstream.address() as AddressInfo;
    const at = `http://127.0.0.1:${port}`;
    const project = createFolder();
    trains = TRAINS;
    const serve = start(['serve', 'posts.yaml', '--upstream', at], project);
    const output = await saying(serve, /Duogate serves .*\n/);
    const [, url = ''] = /at (\S+)\/\n/.exec(output) ?? [];
    const key = (await duogate(['key', 'add', 'admin@example.com'], project)).stdout.trim();
    const added = await duogate(['api', 'add', `${at}/trains.yaml`], project);
    expect(added.stdout).toContain('nobody can use it yet');
    await duogate(['grant', 'User', 'Station', 'View'], project);
    // As Power Query asks: the key is the password of Basic authentication.
    const basic = Buffer.from(`key:${key}`).toString('base64');
    const headers = {
      authorization: `Basic ${basic}`,
      'odata-maxversion': '4.0',
      'user-agent': 'Microsoft.Data.Mashup (https://go.microsoft.com/fwlink/?LinkID=304225)',
    };
    const rows = async (query: string): Promise<unknown> => {
      const response = await fetch(`${url}/odata/Station?${query}`, { headers });
      return response.ok ? ((await response.json()) as { readonly value: unknown }).value : response.status;
    };
    const served = [
      { Id: 'bln', Name: 'Berlin', Country: 'DE', Platforms: 16 },
      { Id: 'par', Name: 'Paris', Country: 'FR', Platforms: 32 },
    ];
    const eventually = { timeout: 30_000, interval: 250 };
    await expect.poll(() => rows('$top=1000'), eventually).toStrictEqual(served);
    for (const path of ['', '$metadata']) {
      expect((await fetch(`${url}/odata/${path}`, { headers })).status).toBe(200);
    }
    expect(await rows(`$filter=Country eq 'FR'&$select=Id,Name&$top=200`)).toStrictEqual([
      { Id: 'par', Name: 'Paris' },
    ]);
    const answer = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ stations(order: [{ name: DESC }]) { name } }' }),
    });
    expect(await answer.json()).toStrictEqual({
      data: { stations: [{ name: 'Paris' }, { name: 'Berlin' }] },
    });
    trains = trains.replace('        country: { type: string }\n', '').replace(', country]', ']');
    const refused = await duogate(['api', 'fetch', 'trains'], project).catch(
      (error: { readonly stderr: string }) => error,
    );
    expect(refused.stderr).toContain(
      '  Station.Country is no longer there.\nTo change it anyway, repeat the command with --yes.',
    );
    expect(await rows('$top=1000')).toStrictEqual(served);
    await duogate(['api', 'fetch', 'trains', '--yes'], project);
    const poorer = served.map(({ Country: _, ...row }) => row);
    await expect.poll(() => rows('$top=1000'), eventually).toStrictEqual(poorer);
    const { stdout: history } = await duogate(['api', 'history', 'trains'], project);
    expect(history).toMatch(/Station\.Country is no longer there\..*User may View Station now\./s);
    const [latest = ''] = history.split(' ', 1);
    await duogate(['api', 'restore', 'trains', latest], project);
    await expect.poll(() => rows('$top=1000'), eventually).toStrictEqual(served);
  });

  it('runs the demo', async () => {
    expect(await saying(start(['demo']), /Ctrl-C/)).toContain('Service document');
  });

  it('is a module that mounts into a server', async () => {
    const program = `
      import { createServer } from 'node:http';
      import { mountGateway, readConfig } from 'duogate';
      const gateway = await mountGateway(readConfig({
        AUTH: 'off', LOG_LEVEL: 'silent', BASE_URL: 'http://127.0.0.1:1',
        MESH_CONFIG: 'node_modules/duogate/.meshrc.yaml',
      }));
      const server = createServer(gateway.handle).listen(0, '127.0.0.1', async () => {
        const url = 'http://127.0.0.1:' + server.address().port + '/health/live';
        console.log((await fetch(url)).status);
        process.exit(0);
      });`;
    writeFileSync(join(folder, 'program.js'), program);
    const { stdout } = await run('node', ['program.js'], { cwd: folder, env: ENVIRONMENT });
    expect(stdout).toBe('200\n');
  });
});
