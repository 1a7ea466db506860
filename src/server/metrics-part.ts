import type { IncomingMessage } from 'node:http';
import { BlockList, isIPv6 } from 'node:net';
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
  const admitted = networks(readers);
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

function networks(readers: readonly string[]): BlockList {
  const list = new BlockList();
  for (const reader of readers) {
    const [address = '', prefix] = reader.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-real-ip'] as const;

function isAdmitted(admitted: BlockList, { socket, headers }: IncomingMessage): boolean {
  const { remoteAddress: address = '' } = socket;
  if (FORWARDED.some((name) => headers[name] !== undefined)) return false;
  return admitted.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}
