import type { IncomingMessage } from 'node:http';
import { withinNetworks } from '../core/networks.ts';

/** Whether a request comes from these networks. Behind a proxy, the address would be the proxy's. */
export function metricsReader(
  readers: readonly string[],
): (request: Pick<IncomingMessage, 'socket' | 'headers'>) => boolean {
  const admitted = withinNetworks(readers);
  return ({ socket, headers }) =>
    FORWARDED.every((name) => headers[name] === undefined) && admitted(socket.remoteAddress ?? '');
}

const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'] as const;
