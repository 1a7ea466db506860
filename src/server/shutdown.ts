import type { Server } from 'node:http';

import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../contract/log.ts';

interface DrainOptions {
  /**
   * Time that new connections are accepted after a signal to stop, until load balancers see readiness report
   * 503. Later ones are reset by the system.
   */
  readonly leaveMs: number;
  /** Time for running requests after that. */
  readonly graceMs: number;
}

/** Closes the server without failing running requests; returns false if some had to be aborted. */
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

interface SignalHandlers {
  readonly close: () => Promise<void>;
  /** Checks the project's files for changes. */
  readonly look: () => void;
}

/**
 * Stops the process on SIGTERM, SIGINT and SIGUSR2 when `close` is done; a second signal stops it at once. An
 * uncaught error also stops it, because the state is unknown; an unhandled rejection is only logged. On
 * SIGHUP, a service checks its files, and a process in a terminal stops. SIGUSR1 opens no inspector.
 */
export function exitOnSignal({ close, look }: SignalHandlers, log: Log): void {
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
  process.on('SIGUSR2', onSignal);
  process.on('SIGUSR1', () => log.warn({ signal: 'SIGUSR1' }, 'the inspector is not opened'));
  process.on('SIGHUP', (signal) => {
    if (process.stdout.isTTY) return onSignal(signal);
    log.info({ signal }, 'looking at the files of the project');
    look();
  });
  process.on('unhandledRejection', (err) => log.error({ err }, 'an unhandled promise rejection'));
  process.on('uncaughtException', (err) => {
    log.error({ err }, 'an unhandled error: stopping');
    if (!stopping) stop(1);
  });
}
