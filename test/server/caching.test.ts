import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RegistryGateway, serveSharedRegistry } from '../registry/registry-gateway.ts';
import { type StandInUpstream, startStandInUpstream } from '../support/stand-in-upstream.ts';

let upstream: StandInUpstream;
let served: RegistryGateway;
beforeAll(async () => {
  upstream = await startStandInUpstream((_, reply) =>
    reply.json([{ id: 1, userId: 1, title: 'A title', body: 'A text' }]),
  );
  served = await serveSharedRegistry(upstream.url);
});
afterAll(() => upstream.close());

// RFC 9111, 3 and 4.2.2: without a Cache-Control header, a shared cache may store a 200.
it.each<[number, string]>([
  [200, '/'],
  [200, '/health/live'],
  [200, '/health/ready'],
  [200, '/metrics'],
  [200, '/odata'],
  [200, '/odata/$metadata'],
  [200, '/odata/Post'],
  [200, '/odata/Post/$count'],
  [200, '/odata/Post?$format=csv'],
  [404, '/odata/Nothing'],
  [200, '/graphql?query={posts{id}}'],
  [200, '/graphql?query={nothing}'],
  [200, '/api/registry'],
  [200, '/api/registry/Posts'],
  [404, '/api/nothing'],
  [404, '/nothing'],
])('no cache may give anybody else what is answered with %i to %s', async (status, path) => {
  for (const accept of ['application/json', '*/*']) {
    const { status: found, headers } = await fetch(`${served.gateway.url}${path}`, { headers: { accept } });
    expect([found, headers.get('cache-control')]).toStrictEqual([
      status,
      expect.stringMatching(/^(?:no-store|private, no-cache)$/),
    ]);
  }
});
