import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../contract/log.ts';

export interface ShutdownOptions {
  /**
   * How long new connections are still accepted after the word to stop: as long as a load balancer needs
   * to see that readiness says 503. The system resets whoever comes in the moment the port is closed.
   */
  readonly leaveMs: number;
  /** How long requests that are under way after that may take. */
  readonly graceMs: number;
}

/** Every open connection, and when it was made. */
export type Connections = ReadonlyMap<Socket, number>;

export function trackConnections(server: Server): Connections {
  const connections = new Map<Socket, number>();
  server.on('connection', (socket: Socket) => {
    connections.set(socket, performance.now());
    socket.once('close', () => connections.delete(socket));
  });
  return connections;
}

/** Closes the server without failing a request that is under way; true where none had to be cut off. */
export async function drain(
  server: Server,
  connections: Connections,
  options: ShutdownOptions,
): Promise<boolean> {
  await delay(options.leaveMs);
  let complete = true;
  const sweep = setInterval(() => closeIdle(server, connections), SWEEP_MS);
  const cutOff = setTimeout(() => {
    complete = false;
    server.closeAllConnections();
  }, options.graceMs);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  clearInterval(sweep);
  clearTimeout(cutOff);
  return complete;
}

const SWEEP_MS = 50;
const FIRST_WORD_MS = 500;

// Node takes a connection that has not sent a byte yet for one with a request under way, and it may be.
function closeIdle(server: Server, connections: Connections): void {
  server.closeIdleConnections();
  const before = performance.now() - FIRST_WORD_MS;
  for (const [socket, since] of connections) if (socket.bytesRead === 0 && since < before) socket.destroy();
}

/** Stops the process on SIGTERM and SIGINT when `close` is done; the second signal does not wait for it. */
export function exitOnSignal(close: () => Promise<void>, log: Log): void {
  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(1);
    stopping = true;
    log.info({ signal }, 'stopping');
    close().then(
      () => process.exit(0),
      (err) => {
        log.error({ err }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}
