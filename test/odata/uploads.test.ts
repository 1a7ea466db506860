import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Gateway, startGateway } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { PHOTOS_DOCUMENT } from './streams.document.ts';

const MIB = 1024 * 1024;
/** Maximum bytes in the buffers of sockets and streams; the rest is still at the client. */
const HELD = 48 * MIB;

interface Received {
  readonly call: string;
  readonly headers: IncomingMessage['headers'];
  size: number;
  /** All of it has come. */
  complete: boolean;
}

const received: Received[] = [];
let isReading: Promise<void>;

/** Takes everything, as soon as it may read. */
async function take(sent: IncomingMessage, response: ServerResponse): Promise<void> {
  const entry = { call: `${sent.method} ${sent.url}`, headers: sent.headers, size: 0, complete: false };
  received.push(entry);
  await isReading;
  try {
    for await (const chunk of sent) entry.size += chunk.length;
  } catch {
    return;
  }
  entry.complete = true;
  if (sent.method === 'POST') {
    response.writeHead(201, { 'content-type': 'application/json' }).end('{"id":1,"title":"Harbour"}');
  } else response.writeHead(204, { etag: '"b"' }).end();
}

const upstream = createServer((sent, response) => void take(sent, response));
let gateway: Gateway;
let project: string;

beforeAll(async () => {
  await once(upstream.listen(0, '127.0.0.1'), 'listening');
  project = mkdtempSync(join(tmpdir(), 'uploads-'));
  writeFileSync(join(project, 'photos.json'), JSON.stringify(PHOTOS_DOCUMENT));
  const endpoint = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const sources = [{ name: 'Photos', handler: { openapi: { source: './photos.json', endpoint } } }];
  writeFileSync(join(project, '.meshrc.yaml'), JSON.stringify({ sources }));
  gateway = await startGateway(
    readConfig({
      AUTH: 'off',
      PORT: '0',
      LOG_LEVEL: 'silent',
      REQUEST_BODY_KIB: '16',
      UPLOAD_MIB: '96',
      UPSTREAM_TIMEOUT_MS: '1000',
      MESH_CONFIG: join(project, '.meshrc.yaml'),
    }),
  );
});
afterAll(async () => {
  await gateway.close();
  upstream.close();
  upstream.closeAllConnections();
  rmSync(project, { recursive: true });
});
beforeEach(() => {
  received.length = 0;
  isReading = Promise.resolve();
});

/** A body of that size, which counts the bytes that were requested. */
function pieces(size: number) {
  const piece = Buffer.alloc(MIB / 4, 'x');
  const produced = { size: 0 };
  function* made(): Generator<Buffer> {
    for (; produced.size < size; produced.size += piece.length) yield piece;
  }
  return { bytes: Readable.from(made()), produced };
}

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
}

/** Sends the bytes as the body and waits for the answer. */
function send(bytes: Readable, { method = 'PUT', path = '/Photos(1)/$value', headers = {} }: Sent = {}) {
  const sent = request(`${gateway.url}/odata${path}`, {
    method,
    headers: { 'content-type': 'image/png', ...headers },
    agent: false,
  });
  const answer = new Promise<{ status: number; text: string }>((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', async (response) => {
      const text = Buffer.concat(await response.toArray()).toString();
      resolve({ status: response.statusCode ?? 0, text });
    });
  });
  bytes.pipe(sent);
  return { sent, answer };
}

describe('an upload', () => {
  it.each([
    ['in chunks', {}, undefined],
    ['of announced length', { 'content-length': String(64 * MIB) }, String(64 * MIB)],
  ])('%s is handed on as it comes, with all it says of itself', async (_, headers, length) => {
    const { answer } = send(pieces(64 * MIB).bytes, { headers });
    expect((await answer).status).toBe(204);
    const [{ call, headers: handed, size, complete } = {}] = received;
    expect([call, size, complete]).toStrictEqual(['PUT /photos/1/content', 64 * MIB, true]);
    expect([handed?.['content-type'], handed?.['content-length']]).toStrictEqual(['image/png', length]);
  });

  it('makes a media entity', async () => {
    const { answer } = send(pieces(MIB).bytes, { method: 'POST', path: '/Photos' });
    const { status, text } = await answer;
    expect([status, JSON.parse(text)]).toMatchObject([201, { Id: 1, Title: 'Harbour' }]);
    expect(received).toMatchObject([{ call: 'POST /photos', size: MIB, complete: true }]);
  });

  it('is read no faster than the upstream reads it', async () => {
    let read = (): void => undefined;
    isReading = new Promise((resolve) => {
      read = resolve;
    });
    const { bytes, produced } = pieces(80 * MIB);
    const { answer } = send(bytes);
    for (let before = -1; before !== produced.size; await delay(100)) before = produced.size;
    expect(produced.size).toBeLessThan(HELD);
    read();
    expect((await answer).status).toBe(204);
    expect(received).toMatchObject([{ size: 80 * MIB, complete: true }]);
  });

  it('may take longer than the upstream may take to answer', async () => {
    async function* slowly(): AsyncGenerator<Buffer> {
      for (let piece = 0; piece < 8; piece += 1) {
        yield Buffer.alloc(4096, 'x');
        await delay(200);
      }
    }
    const { answer } = send(Readable.from(slowly()));
    expect((await answer).status).toBe(204);
    expect(received).toMatchObject([{ size: 32_768, complete: true }]);
  });

  it('fails where the upstream takes nothing of it in time', async () => {
    isReading = new Promise(() => undefined);
    const { sent, answer } = send(pieces(64 * MIB).bytes);
    sent.on('error', () => undefined);
    const { status, text } = await answer;
    expect([status, JSON.parse(text).error.code]).toStrictEqual([504, 'OutcomeUnknown']);
    expect(received[0]?.complete).toBe(false);
  });

  it.each([
    ['announces more', { 'content-length': String(97 * MIB) }],
    ['comes to more', {}],
  ])('is refused where it %s than it may have', async (_, headers) => {
    const { sent, answer } = send(pieces(97 * MIB).bytes, { headers });
    sent.on('error', () => undefined);
    const { status, text } = await answer;
    expect([status, JSON.parse(text).error.code]).toStrictEqual([413, 'PayloadTooLarge']);
    expect(received.some(({ complete }) => complete)).toBe(false);
  });

  it('ends at the upstream when its client goes away', async () => {
    const closed = new Promise((resolve) => upstream.once('request', (sent) => sent.once('close', resolve)));
    const { sent, answer } = send(
      new Readable({
        read() {
          if (received.length === 0) this.push(Buffer.alloc(MIB / 4));
          else sent.destroy();
        },
      }),
    );
    answer.catch(() => undefined);
    await closed;
    expect(received[0]?.complete).toBe(false);
  });
});

describe('a body that is no stream', () => {
  it.each([
    ['of JSON', { method: 'PUT', path: '/Photos(1)', headers: { 'content-type': 'application/json' } }],
    ['at a URL that is none', { path: '/Nope(1)/$value' }],
    ['that is created with another method', { method: 'PATCH' }],
  ])('is bounded as ever: one %s', async (_, sent) => {
    const { sent: open, answer } = send(pieces(MIB).bytes, sent);
    open.on('error', () => undefined);
    expect((await answer).status).toBe(413);
    expect(received).toStrictEqual([]);
  });

  it('of a stream, and small, is sent as a whole', async () => {
    const { answer } = send(Readable.from([Buffer.alloc(100)]), { headers: { 'content-length': '100' } });
    expect((await answer).status).toBe(204);
    expect(received).toMatchObject([{ size: 100, headers: { 'content-length': '100' } }]);
  });
});
