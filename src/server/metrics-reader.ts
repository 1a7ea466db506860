import type { IncomingMessage } from 'node:http';
import { withinNetworks } from '../core/networks.ts';

/** True for requests from those networks. The address of a proxy does not show who is behind it. */
export function metricsReader(
  readers: readonly string[],
): (request: Pick<IncomingMessage, 'socket' | 'headers'>) => boolean {
  const admitted = withinNetworks(readers);
  return ({ socket, headers }) =>
    FORWARDED.every((name) => headers[name] === undefined) && admitted(socket.remoteAddress ?? '');
}

const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'] as const;
