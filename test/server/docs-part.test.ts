import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SiteOptions } from '../../src/server/site-files.ts';
import { sendRequest } from './raw-client.ts';
import { runServer } from './running-server.ts';

const PAGE =
  '<!doctype html><script type="module" src="/__docs__/assets/app.1.js"></script><script id="dark">dark()</script>';
const PICTURE = Buffer.from([0x89, ...Buffer.from('/__docs__/'), 0xff]);

const BUILD: Readonly<Record<string, string | Buffer>> = {
  '404.html': '<!doctype html>Not here.',
  'index.html': PAGE,
  'connect.html': `${PAGE}Connect`,
  'more/index.html': `${PAGE}More`,
  'code.css': '.code { color: red }',
  'assets/app.1.js': 'go("/__docs__/connect")',
  'assets/picture.1.png': PICTURE,
};

function writeBuild(directory: string): void {
  for (const folder of ['more', 'assets']) mkdirSync(join(directory, folder));
  for (const [name, content] of Object.entries(BUILD)) writeFileSync(join(directory, name), content);
}

function useDocs(basePath = '/docs/'): SiteOptions {
  const directory = emptyDocs();
  writeBuild(directory);
  return { directory, basePath };
}

function emptyDocs(): string {
  const directory = mkdtempSync(join(tmpdir(), 'duogate-docs-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

const HERE = PAGE.replace('/__docs__/', '/docs/');

describe('/docs', () => {
  it.each([
    ['/docs/', HERE],
    ['/docs/index', HERE],
    ['/docs/connect', `${HERE}Connect`],
    ['/docs/connect.html?from=mail', `${HERE}Connect`],
    ['/docs/more/', `${HERE}More`],
  ])('answers %s with its page, which is asked for anew each time', async (target, page) => {
    const { port } = await runServer([], { docs: useDocs() });
    const { status, headers, body } = await sendRequest(port, `GET ${target}`);
    expect([status, headers['content-type'], headers['cache-control'], body]).toStrictEqual([
      200,
      'text/html; charset=utf-8',
      'no-cache',
      page,
    ]);
  });

  it.each([
    ['assets/app.1.js', 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
    ['assets/picture.1.png', 'image/png', 'public, max-age=31536000, immutable'],
    ['code.css', 'text/css; charset=utf-8', 'no-cache'],
  ])('answers with %s', async (name, type, cached) => {
    const { url } = await runServer([], { docs: useDocs() });
    const answer = await fetch(`${url}/docs/${name}`);
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
      200,
      type,
      cached,
    ]);
    const content = BUILD[name] ?? '';
    const here = typeof content === 'string' ? Buffer.from(content.replace('/__docs__/', '/docs/')) : content;
    expect(Buffer.from(await answer.arrayBuffer())).toStrictEqual(here);
  });

  it('lets a page load files of this server alone, and run the scripts that stand in it', async () => {
    const { url } = await runServer([], { docs: useDocs() });
    const { headers } = await fetch(`${url}/docs/`);
    // printf 'dark()' | openssl dgst -sha256 -binary | base64
    expect(headers.get('content-security-policy')?.split(';')).toStrictEqual([
      "default-src 'none'",
      "script-src 'self' 'sha256-fNefTR34fI4AKL70MFDWngBjZzPD/E9oLjTl18ee/nA='",
      "style-src 'self'",
      "img-src 'self' data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
  });

  it('is found at the path of the public URL', async () => {
    const { port } = await runServer([], { docs: useDocs('/gate/docs/') });
    expect((await sendRequest(port, 'GET /docs/')).body).toBe(PAGE.replace('/__docs__/', '/gate/docs/'));
    expect((await sendRequest(port, 'GET /docs/assets/app.1.js')).body).toBe('go("/gate/docs/connect")');
    const { status, headers } = await sendRequest(port, 'GET /docs');
    expect([status, headers['location']]).toStrictEqual([308, '/gate/docs/']);
  });

  it.each([
    '/docs/none',
    '/docs/assets/',
    '/docs/assets',
    '/docs/../404',
    '/docs/%2e%2e/docs/index.html',
    '/docs/assets/../../docs/none',
    '/docs/__proto__',
  ])('says that there is nothing at %s', async (target) => {
    const { port } = await runServer([], { docs: useDocs() });
    const { status, body } = await sendRequest(port, `GET ${target}`);
    expect([status, body]).toStrictEqual([404, BUILD['404.html']]);
  });

  it('answers 304 to who has the page already', async () => {
    const { url } = await runServer([], { docs: useDocs() });
    const first = await fetch(`${url}/docs/connect`);
    const etag = first.headers.get('etag') ?? '';
    await first.arrayBuffer();
    const again = await fetch(`${url}/docs/connect`, { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text()]).toStrictEqual([304, '']);
  });

  it('allows only GET and HEAD', async () => {
    const { url } = await runServer([], { docs: useDocs() });
    const answer = await fetch(`${url}/docs/`, { method: 'POST', body: 'x' });
    expect([answer.status, answer.headers.get('allow')]).toStrictEqual([405, 'GET, HEAD']);
  });

  it('says what to run where nothing has been built, and serves what is built then', async () => {
    const directory = emptyDocs();
    const { url } = await runServer([], { docs: { directory, basePath: '/docs/' } });
    const before = await fetch(`${url}/docs/`);
    expect([before.status, await before.text()]).toStrictEqual([
      503,
      'The documentation has not been built. To build it: npm run build\n',
    ]);
    writeBuild(directory);
    const after = await fetch(`${url}/docs/`);
    expect([after.status, await after.text()]).toStrictEqual([200, HERE]);
  });
});
