import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems give to servers of port 0 and to outgoing connections (Linux: from 32,768). */
const FIRST = 20_000;
const PORTS = 12_000;

/** A free port of the loopback address, which stays free until it is taken by its number. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * PORTS);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
