import { createServer, type RequestListener, type Server } from 'node:http';

/** A running sample API. */
export interface SampleUpstream {
  readonly url: string;
  close(): Promise<void>;
}

/** Listens on the loopback address, at any free port by default. */
export function startSampleServer(listener: RequestListener, port = 0): Promise<SampleUpstream> {
  const server = createServer(listener);
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve({ url: urlOf(server), close: () => close(server) }));
  });
}

function urlOf(server: Server): string {
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : address}`;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
