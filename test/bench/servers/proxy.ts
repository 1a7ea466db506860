import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { reportTo } from './meter.ts';

/** The plainest reverse proxy that Node can be: every request is piped through, and so is its answer. */
const upstream = new URL(process.env['UPSTREAM_URL'] ?? '');
const agent = new Agent({ keepAlive: true, maxSockets: 64 });

const server = createServer((incoming, outgoing) => {
  const options = {
    agent,
    host: upstream.hostname,
    port: upstream.port,
    path: incoming.url,
    method: incoming.method,
  };
  const forwarded = request({ ...options, headers: incoming.headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  incoming.pipe(forwarded);
});

server.listen(0, '127.0.0.1', () => {
  reportTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
