import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { reportTo } from './meter.ts';

/**
 * Lists of as many columns and rows as the path says, such as `/40/1000/table40`, and their rows by key,
 * `/40/1000/table40/7`. Every read gives other bytes than the one before.
 */
const texts = new Map<string, string>();
let version = 0;

const server = createServer((request, response) => {
  const [, columns = '', rows = '', , key] = (request.url ?? '').split('/');
  version += 1;
  response.writeHead(200, { 'content-type': 'application/json', 'x-version': version });
  if (key !== undefined) response.end(rowText(Number(columns), Number(key)));
  else {
    const text = listText(Number(columns), Number(rows));
    response.end(`${text.slice(0, -1)},${rowText(Number(columns), 1_000_000 + version)}]`);
  }
});

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  reportTo(`http://127.0.0.1:${port}`);
});

function listText(columns: number, rows: number): string {
  const known = texts.get(`${columns} ${rows}`);
  if (known !== undefined) return known;
  const text = `[${Array.from({ length: rows }, (_, index) => rowText(columns, index + 1)).join(',')}]`;
  texts.set(`${columns} ${rows}`, text);
  return text;
}

/** The key, and texts and numbers in turn. */
function rowText(columns: number, id: number): string {
  const values = Array.from({ length: columns - 1 }, (_, index) => [
    `column${index + 1}`,
    index % 2 === 0 ? `value ${(id * 7919) % 1009} of ${index}` : (id * (index + 1)) % 10_007,
  ]);
  return JSON.stringify({ id, ...Object.fromEntries(values) });
}
