import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent, request } from 'undici';
import { reportTo } from './meter.ts';

/** A minimal hand-written gateway: fetches, parses, applies the bench's query, renames, and writes. */
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
  const value = WORK.get(incoming.url ?? '')?.(posts) ?? posts.map(rename);
  const text = Buffer.from(JSON.stringify({ value }));
  outgoing.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length }).end(text);
});

server.listen(0, '127.0.0.1', () => {
  reportTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

function rename({ userId, id, title, body }: UpstreamPost) {
  return { UserId: userId, Id: String(id), Title: title, Body: body };
}

const WORK = new Map<string, (posts: readonly UpstreamPost[]) => unknown>([
  ['/top', topTen],
  ['/groups', groups],
  ['/search', search],
]);

function groups(posts: readonly UpstreamPost[]) {
  const counts = new Map<number, number>();
  for (const { userId } of posts) counts.set(userId, (counts.get(userId) ?? 0) + 1);
  return [...counts].map(([UserId, N]) => ({ UserId, N }));
}

/** In upper or lower case, in any of the texts, the key among them. */
function search(posts: readonly UpstreamPost[]) {
  const isIn = (text: string) => text.toLowerCase().includes('juniper 96');
  return posts.filter(({ id, title, body }) => isIn(String(id)) || isIn(title) || isIn(body)).map(rename);
}

function topTen(posts: readonly UpstreamPost[]) {
  return posts
    .filter(({ title, userId }) => title.includes('cedar') && userId > 5)
    .sort((a, b) => (a.title < b.title ? 1 : a.title > b.title ? -1 : a.id - b.id))
    .slice(0, 10)
    .map(rename);
}
