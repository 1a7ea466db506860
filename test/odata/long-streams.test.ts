import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Gateway, startGateway } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { PHOTOS_DOCUMENT } from './streams.document.ts';

const MIB = 1024 * 1024;
const LENGTH = 200 * MIB;
/** Maximum bytes in the buffers of sockets and streams; the rest is still at the upstream. */
const HELD = 48 * MIB;

let produced = 0;
let upstream: Server;
let gateway: Gateway;
let project: string;

function* bytes(): Generator<Buffer> {
  const piece = Buffer.alloc(MIB / 4, 'x');
  for (produced = 0; produced < LENGTH; produced += piece.length) yield piece;
}

beforeAll(async () => {
  upstream = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'image/png' });
    pipeline(Readable.from(bytes()), response).catch(() => undefined);
  }).listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  project = mkdtempSync(join(tmpdir(), 'photos-'));
  writeFileSync(join(project, 'photos.json'), JSON.stringify(PHOTOS_DOCUMENT));
  const openapi = {
    source: './photos.json',
    endpoint: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`,
  };
  const sources = [{ name: 'Photos', handler: { openapi } }];
  writeFileSync(join(project, '.meshrc.yaml'), JSON.stringify({ sources }));
  const environment = { AUTH: 'off', PORT: '0', LOG_LEVEL: 'silent', UPSTREAM_BODY_MIB: '1' };
  gateway = await startGateway(readConfig({ ...environment, MESH_CONFIG: join(project, '.meshrc.yaml') }));
});

afterAll(async () => {
  await gateway.close();
  upstream.close();
  rmSync(project, { recursive: true });
});

it('reads the upstream no faster than the client reads, and hands on all of it', async () => {
  const { status, body } = await fetch(`${gateway.url}/odata/Photos(1)/$value`);
  expect(status).toBe(200);
  const reader = body?.getReader();
  let read = (await reader?.read())?.value?.length ?? 0;
  for (let before = -1; before !== produced; await delay(200)) before = produced;
  expect(produced).toBeLessThan(HELD);
  for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read()) {
    read += piece.value.length;
  }
  expect(read).toBe(LENGTH);
});
