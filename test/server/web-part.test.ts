import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { sendRequest } from './raw-client.ts';
import { runServer } from './running-server.ts';
import { emptyBuild, useWebBuild, WEB_PAGE, WEB_SCRIPT, writeBuild } from './web-build.ts';

describe('/app', () => {
  it.each(['/app', '/app/', '/app/posts', '/app/posts/post-by-id?postId=1', '/app/../etc', '/app/%2e%2e'])(
    'answers %s with the page, which is asked for anew each time',
    async (target) => {
      const { port } = await runServer([], { web: useWebBuild() });
      const { status, headers, body } = await sendRequest(port, `GET ${target}`);
      expect([status, headers['content-type'], headers['cache-control'], body]).toStrictEqual([
        200,
        'text/html; charset=utf-8',
        'no-cache',
        WEB_PAGE,
      ]);
    },
  );

  it('lets the page load files of this server alone', async () => {
    const { url } = await runServer([], { web: useWebBuild() });
    const { headers } = await fetch(`${url}/app/posts`);
    expect(headers.get('content-security-policy')?.split(';')).toStrictEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self'",
      "connect-src 'self'",
      "base-uri 'self'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ]);
  });

  it('tells the page the path of the public URL', async () => {
    const { url } = await runServer([], { web: useWebBuild('/gate/') });
    expect(await (await fetch(`${url}/app`)).text()).toBe(WEB_PAGE.replace('href="/"', 'href="/gate/"'));
  });

  it('lets assets be kept for ever, because another content has another name', async () => {
    const { port } = await runServer([], { web: useWebBuild() });
    const { status, headers, body } = await sendRequest(port, 'GET /app/assets/x-1.js?v=1');
    expect([status, headers['content-type'], headers['cache-control'], headers['vary'], body]).toStrictEqual([
      200,
      'text/javascript; charset=utf-8',
      'public, max-age=31536000, immutable',
      'accept-encoding',
      WEB_SCRIPT,
    ]);
  });

  it.each([
    ['gzip, deflate, br', 'gzip'],
    ['br, GZIP;q=0.5', 'gzip'],
    ['identity', null],
    ['gzip;q=0', null],
    ['gzip; q=0.00, br', null],
  ])('answers Accept-Encoding: %s with the coding %s', async (accepted, coding) => {
    const { port } = await runServer([], { web: useWebBuild() });
    const answer = await sendRequest(port, 'GET /app/assets/x-1.js', [
      'Host: x',
      `Accept-Encoding: ${accepted}`,
    ]);
    expect(answer.headers['content-encoding'] ?? null).toBe(coding);
    const bytes = Buffer.from(answer.body, 'latin1');
    expect((coding === null ? bytes : gunzipSync(bytes)).toString()).toBe(WEB_SCRIPT);
  });

  it.each(['/app', '/app/assets/x-1.js'])('answers 304 to who has %s already', async (path) => {
    const { url } = await runServer([], { web: useWebBuild() });
    const first = await fetch(url + path);
    const etag = first.headers.get('etag') ?? '';
    await first.arrayBuffer();
    const again = await fetch(url + path, { headers: { 'if-none-match': `"other", ${etag}` } });
    expect([again.status, again.headers.get('etag'), await again.text()]).toStrictEqual([304, etag, '']);
    const other = await fetch(url + path, { headers: { 'if-none-match': '"other"' } });
    expect(other.status).toBe(200);
  });

  it.each([
    '/app/assets/none.js',
    '/app/assets/',
    '/app/assets',
    '/app/assets/../../index.html',
    '/app/assets/%2e%2e/%2e%2e/index.html',
    '/app/assets/__proto__',
  ])('has no file at %s', async (target) => {
    const { port } = await runServer([], { web: useWebBuild() });
    const { status, headers } = await sendRequest(port, `GET ${target}`);
    expect([status, headers['cache-control']]).toStrictEqual([404, 'no-store']);
  });

  it('allows only GET and HEAD', async () => {
    const { url } = await runServer([], { web: useWebBuild() });
    const answer = await fetch(`${url}/app/posts`, { method: 'POST', body: 'x' });
    expect([answer.status, answer.headers.get('allow')]).toStrictEqual([405, 'GET, HEAD']);
  });

  it('says what to run where nothing has been built, and serves what is built then', async () => {
    const directory = emptyBuild();
    const { url } = await runServer([], { web: { directory, basePath: '/' } });
    const before = await fetch(`${url}/app/posts`);
    expect([before.status, await before.text()]).toStrictEqual([
      503,
      'The web screens have not been built. To build them: npm run build\n',
    ]);
    writeBuild(directory);
    const after = await fetch(`${url}/app/posts`);
    expect([after.status, await after.text()]).toStrictEqual([200, WEB_PAGE]);
  });

  it('is asked for again where the build has no files yet', async () => {
    const directory = emptyBuild();
    writeBuild(directory);
    rmSync(join(directory, 'app'), { recursive: true });
    const { url } = await runServer([], { web: { directory, basePath: '/' } });
    expect((await fetch(`${url}/app/posts`)).status).toBe(503);
    writeBuild(directory);
    expect((await fetch(`${url}/app/posts`)).status).toBe(200);
  });

  it('is read anew where a file of the build is gone: there is another one', async () => {
    const directory = emptyBuild();
    writeBuild(directory);
    const { url } = await runServer([], { web: { directory, basePath: '/' } });
    expect((await fetch(`${url}/app/posts`)).status).toBe(200);
    renameSync(join(directory, 'app/assets/x-1.js'), join(directory, 'app/assets/x-2.js'));
    writeFileSync(join(directory, 'index.html'), WEB_PAGE.replace('x-1', 'x-2'));
    expect((await fetch(`${url}/app/assets/x-1.js`)).status).toBe(500);
    expect(await (await fetch(`${url}/app/posts`)).text()).toBe(WEB_PAGE.replace('x-1', 'x-2'));
    expect((await fetch(`${url}/app/assets/x-2.js`)).status).toBe(200);
  });
});
