import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent, request } from 'undici';
import { reportTo } from './meter.ts';

/**
 * The least that anybody could do by hand: fetch, parse, rename, and for `/top` the filter, the order and
 * the first ten as the bench asks the gateway for, then write.
 */
interface UpstreamPost {
  readonly userId: number;
  readonly id: number;
  readonly title: string;
  readonly body: string;
}

const upstream = process.env['UPSTREAM_URL'] ?? '';
const dispatcher = new Agent({ connections: 64 });

const server = createServer(async (incoming, outgoing) => {
  const { body } = await request(`${upstream}/posts`, { dispatcher });
  const posts = JSON.parse(await body.text()) as readonly UpstreamPost[];
  const value = incoming.url === '/top' ? topTen(posts) : posts.map(rename);
  const text = Buffer.from(JSON.stringify({ value }));
  outgoing.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length }).end(text);
});

server.listen(0, '127.0.0.1', () => {
  reportTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

function rename({ userId, id, title, body }: UpstreamPost) {
  return { UserId: userId, Id: String(id), Title: title, Body: body };
}

function topTen(posts: readonly UpstreamPost[]) {
  return posts
    .filter(({ title, userId }) => title.includes('cedar') && userId > 5)
    .sort((a, b) => (a.title < b.title ? 1 : a.title > b.title ? -1 : a.id - b.id))
    .slice(0, 10)
    .map(rename);
}
