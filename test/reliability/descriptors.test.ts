import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { postsApi } from '../support/running-gateway.ts';
import { type StandInUpstream, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { type GatewayProcess, startGatewayProcess } from './gateway-process.ts';
import { ask } from './many-requests.ts';

/** Fewer than what is allowed of connections. */
const DESCRIPTORS = 160;

let upstream: StandInUpstream;
let gateway: GatewayProcess;
beforeAll(async () => {
  upstream = await startStandInUpstream(postsApi);
  gateway = await startGatewayProcess({
    descriptors: DESCRIPTORS,
    environment: { UPSTREAM_URL: upstream.url, UPSTREAM_SHARED_READS: 'off', UPSTREAM_CONNECTIONS: '16' },
  });
});
afterAll(async () => {
  await gateway.stop();
  await upstream.close();
});

it('clients do not take the descriptors that calls of the API need', async () => {
  const { port, hostname } = new URL(gateway.url);
  const [speaking, ...others] = Array.from({ length: DESCRIPTORS * 2 }, () =>
    connect(Number(port), hostname).on('error', () => {}),
  );
  if (speaking === undefined) throw new Error('There is no connection.');
  await Promise.all(others.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')])));
  speaking.write(`GET /odata/Post('1') HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`);
  const chunks: Buffer[] = [];
  for await (const chunk of speaking) chunks.push(chunk);
  expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1\.1 200 /);
  for (const socket of others) socket.destroy();
  await expect.poll(async () => (await ask(`${gateway.url}/odata/Post('1')`)).status).toBe(200);
});
