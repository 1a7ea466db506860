import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A reverse proxy as operators put one before the gateway: it serves it below a path, which it takes off. */
export interface PrefixProxy {
  /** With the path, and without a slash at its end. */
  readonly url: string;
  /** Sets the gateway's URL. */
  lead(to: string): void;
}

/** Runs until the end of the test. Requests outside of the path get 404. */
export async function startPrefixProxy(prefix: string): Promise<PrefixProxy> {
  let target = '';
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url = '' } = incoming;
    if (!url.startsWith(`${prefix}/`)) {
      outgoing.writeHead(404).end();
      return;
    }
    const forwarded = request(`${target}${url.slice(prefix.length)}`, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${prefix}`,
    lead: (to) => {
      target = to;
    },
  };
}
