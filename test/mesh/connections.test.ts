import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createSecureServer } from 'node:http2';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, documentOf, serveProject, sourceOf } from '../support/temporary-project.ts';

const CERTIFICATES = join(import.meta.dirname, '../support/certificates');
const pem = (name: string): string => readFileSync(join(CERTIFICATES, `${name}.pem`), 'utf8');

async function serveNotes(
  endpoint: string,
  environment: Readonly<Record<string, string>>,
  credentials?: object,
) {
  const project = createProject({
    'notes.yaml': documentOf('Note'),
    '.meshrc.yaml': `sources:\n${sourceOf('Notes', './notes.yaml', endpoint)}`,
    ...(credentials && { 'credentials.yaml': JSON.stringify({ Notes: credentials }) }),
  });
  const { gateway } = await serveProject(project, environment);
  return async () => {
    const response = await fetch(`${gateway.url}/odata/Note`);
    return [response.status, ((await response.json()) as { readonly value?: unknown }).value];
  };
}

const note = (title: string) => ({ userId: 1, id: 1, title, body: 'b' });
const row = (Title: string) => ({ UserId: 1, Id: '1', Title, Body: 'b' });

async function startUpstream() {
  const upstream = await startStandInUpstream((_, reply) => reply.json([note('direct')]));
  onTestFinished(() => upstream.close());
  return upstream;
}

describe('a connection to an upstream', () => {
  afterEach(() => void vi.useRealTimers());

  it('is closed when nobody has used it for UPSTREAM_IDLE_MS', async () => {
    const upstream = await startUpstream();
    const read = await serveNotes(upstream.url, { UPSTREAM_IDLE_MS: '1' });
    await read();
    await upstream.requests[0]?.closed;
    expect(upstream.connections).toBe(0);
  });

  it('is kept for the next call, and replaced when it is older than UPSTREAM_CONNECTION_MS', async () => {
    const upstream = await startUpstream();
    const read = await serveNotes(upstream.url, {
      UPSTREAM_IDLE_MS: '600000',
      UPSTREAM_CONNECTION_MS: '60000',
    });
    await read();
    await read();
    expect(upstream.accepted).toBe(1);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
    expect(await read()).toEqual([200, [row('direct')]]);
    expect(upstream.accepted).toBe(2);
  });

  it('loses no call when all connections have grown old after a burst', async () => {
    const upstream = await startUpstream();
    const read = await serveNotes(upstream.url, {
      UPSTREAM_CONNECTIONS: '4',
      UPSTREAM_SHARED_READS: 'off',
      UPSTREAM_IDLE_MS: '600000',
      UPSTREAM_CONNECTION_MS: '60000',
      UPSTREAM_TIMEOUT_MS: '5000',
    });
    await Promise.all(Array.from({ length: 20 }, read));
    expect(upstream.accepted).toBe(4);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
    expect(await read()).toEqual([200, [row('direct')]]);
    expect(upstream.requests).toHaveLength(21);
  });

  it.each([
    ['on', '2.0'],
    ['off', '1.1'],
  ])('with UPSTREAM_HTTP2=%s is one of HTTP/%s', async (http2, version) => {
    const url = await startGuardedUpstream();
    const read = await serveNotes(url, { UPSTREAM_HTTP2: http2 }, { certificate: CERTIFICATE });
    expect(await read()).toEqual([200, [row(version)]]);
  });
});

/** A client certificate, and the authority that the gateway trusts. */
const CERTIFICATE = {
  cert: `{file:${CERTIFICATES}/client.pem}`,
  key: `{file:${CERTIFICATES}/client-key-encrypted.pem}`,
  passphrase: 'correct-horse',
  ca: `{file:${CERTIFICATES}/ca.pem}`,
};

/** An upstream for clients with a certificate alone, which answers with the version of HTTP that it was asked in. */
function startGuardedUpstream(): Promise<string> {
  const certificates = { cert: pem('server'), key: pem('server-key'), ca: pem('ca') };
  const guards = { requestCert: true, rejectUnauthorized: true, allowHTTP1: true };
  const server = createSecureServer({ ...certificates, ...guards }, (request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify([note(request.httpVersion)]));
  });
  return listening(server, 'https');
}

interface Listener {
  listen(port: number, host: string, listening: () => void): unknown;
  address(): AddressInfo | string | null;
  close(): unknown;
}

async function listening(server: Listener, scheme = 'http'): Promise<string> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return `${scheme}://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

/** A proxy that leads to one place, whatever host it is asked for; `asked`: for which ones, and by whom. */
async function startProxy(place: string) {
  const requested: string[] = [];
  const sockets: Socket[] = [];
  const proxy = createServer().on('connect', ({ url = '', headers }, client: Socket) => {
    requested.push(
      [url, ...(headers['proxy-authorization'] ? [headers['proxy-authorization']] : [])].join(' '),
    );
    const upstream = connect(Number(new URL(place).port), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connected\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    for (const socket of [client, upstream]) sockets.push(socket.on('error', () => undefined));
  });
  const url = await listening(proxy);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  return { url, asked: requested };
}

describe('a proxy', () => {
  it('is asked for the upstream that HTTP_PROXY is for', async () => {
    const upstream = await startUpstream();
    const { url, asked } = await startProxy(upstream.url);
    const proxy = url.replace('//', '//anna:secret@');
    const read = await serveNotes('http://api.example:8123', { HTTP_PROXY: proxy });
    expect(await read()).toEqual([200, [row('direct')]]);
    const credential = Buffer.from('anna:secret').toString('base64');
    expect(asked).toEqual([`api.example:8123 Basic ${credential}`]);
  });

  it.each([
    ['on', '2.0'],
    ['off', '1.1'],
  ])(
    "that is HTTPS_PROXY leads to TLS that is the API's own, with UPSTREAM_HTTP2=%s",
    async (http2, version) => {
      const { url, asked } = await startProxy(await startGuardedUpstream());
      const environment = { HTTPS_PROXY: url, UPSTREAM_HTTP2: http2 };
      const read = await serveNotes('https://api.example:8443', environment, { certificate: CERTIFICATE });
      expect(await read()).toEqual([200, [row(version)]]);
      expect(asked).toEqual(['api.example:8443']);
    },
  );

  it('that does not let calls through is told of as an upstream that cannot be reached', async () => {
    const refusing = createServer().on('connect', (_, client: Socket) => {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    });
    const read = await serveNotes('http://api.example', { HTTP_PROXY: await listening(refusing) });
    expect((await read())[0]).toBe(502);
  });

  it('is not asked for this machine', async () => {
    const upstream = await startUpstream();
    const { url, asked } = await startProxy(upstream.url);
    const read = await serveNotes(upstream.url, { HTTP_PROXY: url, HTTPS_PROXY: url });
    expect(await read()).toEqual([200, [row('direct')]]);
    expect(asked).toEqual([]);
  });

  it('is not asked for the hosts of NO_PROXY', async () => {
    const { url, asked } = await startProxy('http://127.0.0.1:9');
    const read = await serveNotes('http://api.invalid', {
      HTTP_PROXY: url,
      NO_PROXY: 'other.example,.invalid',
    });
    expect((await read())[0]).toBe(502);
    expect(asked).toEqual([]);
  });

  it('keeps the gateway from starting where it has no URL', async () => {
    const read = serveNotes('http://api.example', { HTTPS_PROXY: 'user:password' });
    await expect(read).rejects.toThrow('HTTPS_PROXY must be the URL of a proxy, with http, https or socks5');
  });
});
