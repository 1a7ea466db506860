import type { Logger } from '@graphql-mesh/types';
import type { Log } from '../../contract/log.ts';

/**
 * Mesh's logger. Mesh logs several lines and makes a child for each request: both must cost nothing,
 * and requests are logged elsewhere. What goes wrong while a mesh is made is passed on.
 */
export function quietLogger(log: Log): Logger {
  const logger: Logger = {
    name: 'mesh',
    log: ignore,
    info: ignore,
    debug: ignore,
    warn: (...parts) => log.warn({ part: 'mesh' }, text(parts)),
    error: (...parts) => log.error({ part: 'mesh' }, text(parts)),
    child: () => logger,
  };
  return logger;
}

function ignore(): void {}

function text(parts: readonly unknown[]): string {
  return parts.map(String).join(' ');
}
