import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../contract/log.ts';

export interface ShutdownOptions {
  /**
   * How long new connections are still accepted after the word to stop. Readiness says 503 by then, and
   * every answer closes its connection, so that clients and load balancers turn elsewhere by themselves.
   */
  readonly leaveMs: number;
  /** How long requests that are under way after that may take. */
  readonly graceMs: number;
}

const SWEEP_MS = 50;

/** Closes the server without failing a request that is under way; true where none had to be cut off. */
export async function drain(
  server: Server,
  sockets: ReadonlySet<Socket>,
  options: ShutdownOptions,
): Promise<boolean> {
  await delay(options.leaveMs);
  let complete = true;
  const sweep = setInterval(() => closeIdle(server, sockets), SWEEP_MS);
  const cutOff = setTimeout(() => {
    complete = false;
    server.closeAllConnections();
  }, options.graceMs);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    closeIdle(server, sockets);
  });
  clearInterval(sweep);
  clearTimeout(cutOff);
  return complete;
}

// Node takes a connection that has not sent a byte yet for one with a request under way.
function closeIdle(server: Server, sockets: ReadonlySet<Socket>): void {
  server.closeIdleConnections();
  for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
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
