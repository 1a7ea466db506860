import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { reportTo } from './meter.ts';

/** Lists of as many rows as the path says, such as `/100000/orders`. Every read gives other bytes than the one before. */
const texts = new Map<string, string>();
let version = 0;

const server = createServer((request, response) => {
  const [, rows = '', list = '', key] = (request.url ?? '').split('/');
  version += 1;
  const text = key === undefined ? listText(Number(rows), list) : rowText(list, Number(key));
  response.writeHead(200, { 'content-type': 'application/json', 'x-version': version });
  response.end(key === undefined ? `${text.slice(0, -1)},${rowText(list, 1_000_000 + version)}]` : text);
});

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  reportTo(`http://127.0.0.1:${port}`);
});

function listText(rows: number, list: string): string {
  const known = texts.get(`${rows} ${list}`);
  if (known !== undefined) return known;
  const items = Array.from({ length: rows }, (_, index) => rowText(list, index + 1));
  const text = `[${items.join(',')}]`;
  texts.set(`${rows} ${list}`, text);
  return text;
}

function rowText(list: string, id: number): string {
  if (list === 'people') return JSON.stringify({ id, name: `Person ${(id * 7919) % 10_007}` });
  const title = `${(id * 7919) % 100_003} amber birch cedar ${id % 97}`;
  const tags = list === 'tagged' ? { tags: Array.from({ length: 900 }, (_, tag) => (tag * id) % 1000) } : {};
  const body = 'dusk ember fjord grove harbor inlet juniper '.repeat(3);
  return JSON.stringify({ id, personId: 1 + (id % 1000), title, body, ...tags });
}
