import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { reportTo } from './meter.ts';

/** The behaviour of the upstream for the measured row. */
export interface UpstreamMode {
  readonly rows: number;
  /** Every read of the list gives other bytes than the one before. */
  readonly changing: boolean;
  readonly etag: boolean;
}

const COUNTER_DIGITS = 10;

let mode: UpstreamMode = { rows: 100, changing: false, etag: false };
let list = writeList(mode.rows);
let version = 0;

const server = createServer((request, response) => {
  if (request.url === '/posts') answer(response, currentList(), request.headers['if-none-match']);
  else
    answer(
      response,
      writePost(Number(request.url?.slice('/posts/'.length))),
      request.headers['if-none-match'],
    );
});

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  reportTo(`http://127.0.0.1:${port}`, (message) => {
    mode = message as UpstreamMode;
    list = writeList(mode.rows);
  });
});

function currentList(): Buffer {
  if (mode.changing) {
    version++;
    // Only the counter in the first title is written anew: the upstream's own work must not count.
    list.write(String(version).padStart(COUNTER_DIGITS, '0'), list.indexOf('#') + 1, 'latin1');
  }
  return list;
}

function answer(response: ServerResponse, body: Buffer, ifNoneMatch: string | undefined): void {
  const etag = mode.etag ? { etag: `"v${version}"` } : {};
  if (mode.etag && ifNoneMatch === `"v${version}"`) response.writeHead(304, etag).end();
  else {
    const headers = { 'content-type': 'application/json', 'content-length': body.length, ...etag };
    response.writeHead(200, headers).end(body);
  }
}

function writeList(rows: number): Buffer {
  return Buffer.from(`[${Array.from({ length: rows }, (_, index) => postText(index + 1)).join(',')}]`);
}

function writePost(id: number): Buffer {
  return Buffer.from(postText(id));
}

function postText(id: number): string {
  const words = ['amber', 'birch', 'cedar', 'dusk', 'ember', 'fjord', 'grove', 'harbor', 'inlet', 'juniper'];
  const word = (offset: number) => words[(id * 7 + offset * 3) % words.length];
  const title = `#${'0'.repeat(COUNTER_DIGITS)} ${word(0)} ${word(1)} ${id % 97}`;
  const body = Array.from({ length: 24 }, (_, offset) => word(offset)).join(' ');
  return JSON.stringify({ userId: 1 + (id % 10), id, title, body });
}
