import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../contract/log.ts';
import { atClose } from './at-close.ts';

export interface DrainOptions {
  /**
   * How long new connections are still accepted after the word to stop: as long as a load balancer needs
   * to see that readiness says 503. The system resets whoever comes in the moment the port is closed.
   */
  readonly leaveMs: number;
  /** How long requests that are under way after that may take. */
  readonly graceMs: number;
}

/** An open connection. */
interface Connection {
  /** When it was made. */
  readonly since: number;
  /** Requests that are not answered to the last byte. */
  underWay: number;
  /** What had been read of it when the last of them had been read, and answered. */
  readBytes: number;
}

/**
 * Has the server close none but connections on which nothing is under way. Node's own word on that cannot be taken:
 * to it an answer is done when all of it has been handed over, long before the client has it.
 */
export function trackConnections(server: Server): void {
  const connections = new Map<Socket, Connection>();
  server.on('connection', (socket: Socket) => {
    connections.set(socket, { since: performance.now(), underWay: 0, readBytes: 0 });
    socket.once('close', () => connections.delete(socket));
  });
  const follow: RequestListener = (request, response) => {
    const { socket } = request;
    const connection = connections.get(socket);
    if (connection === undefined) return;
    connection.underWay += 1;
    atClose(response, () => {
      connection.underWay -= 1;
      connection.readBytes = socket.bytesRead;
    });
    // A body that is refused still comes after the answer.
    request.once('close', () => {
      connection.readBytes = socket.bytesRead;
    });
  };
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.prependListener(event, follow);
  server.closeIdleConnections = () => closeIdle(connections);
}

const FIRST_WORD_MS = 500;

/** A connection that has not sent a byte yet may be about to; what has begun a request has a time limit for it. */
function closeIdle(connections: ReadonlyMap<Socket, Connection>): void {
  const before = performance.now() - FIRST_WORD_MS;
  for (const [socket, { since, underWay, readBytes }] of connections) {
    const isSilent = socket.bytesRead === readBytes && (readBytes > 0 || since < before);
    if (underWay === 0 && isSilent && socket.writableLength === 0) socket.destroy();
  }
}

/** Closes the server without failing a request that is under way; true where none had to be cut off. */
export async function drain(server: Server, { leaveMs, graceMs }: DrainOptions): Promise<boolean> {
  if (leaveMs > 0) await delay(leaveMs);
  let complete = true;
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const cutOff = setTimeout(() => {
    complete = false;
    server.closeAllConnections();
  }, graceMs);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  clearInterval(sweep);
  clearTimeout(cutOff);
  return complete;
}

const SWEEP_MS = 50;

/**
 * Stops the process on SIGTERM and SIGINT when `close` is done; the second signal does not wait for it. So does an
 * error that nobody has handled, as nobody knows what it left behind; a promise that nobody waited for is only logged.
 */
export function exitOnSignal(close: () => Promise<void>, log: Log): void {
  let stopping = false;
  const stop = (code: number): void => {
    if (stopping) process.exit(1);
    stopping = true;
    close().then(
      () => process.exit(code),
      (err) => {
        log.error({ err }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    log.info({ signal }, 'stopping');
    stop(0);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  process.on('unhandledRejection', (err) => log.error({ err }, 'an unhandled promise rejection'));
  process.on('uncaughtException', (err) => {
    log.error({ err }, 'an unhandled error: stopping');
    if (!stopping) stop(1);
  });
}
