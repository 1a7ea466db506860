import type { IncomingMessage } from 'node:http';
import { type NetworkCheck, withinNetworks } from '../contract/networks.ts';
import { notFound, requireGet } from './health.ts';
import type { Metrics } from './metrics.ts';
import type { ListenerPart } from './part.ts';
import { pathOf } from './request-target.ts';

const PATH = '/metrics';

/**
 * `/metrics`, for whoever asks from one of those addresses or networks; for all others there is nothing. A proxy's
 * address says nothing of who is behind it.
 */
export function metricsPart(metrics: Metrics, readers: readonly string[]): ListenerPart {
  const admitted = withinNetworks(readers);
  return {
    path: PATH,
    open: true,
    listener: async (request, response) => {
      if (!isAdmitted(admitted, request) || pathOf(request.url ?? '') !== PATH) throw notFound();
      requireGet({ method: request.method === 'HEAD' ? 'GET' : (request.method ?? '') });
      const text = await metrics.write();
      response.writeHead(200, { 'content-type': metrics.contentType, 'cache-control': 'no-store' }).end(text);
    },
  };
}

const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-real-ip'] as const;

function isAdmitted(admitted: NetworkCheck, { socket, headers }: IncomingMessage): boolean {
  return FORWARDED.every((name) => headers[name] === undefined) && admitted(socket.remoteAddress ?? '');
}
