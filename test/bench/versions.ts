import { resolve } from 'node:path';
import { measure, middle } from './measure.ts';
import { type MeteredServer, startServer } from './metered-server.ts';
import { ROWS } from './rows.ts';

/**
 * `node test/bench/versions.ts ../before .` prints the processor time that a small request takes in each of the checkouts
 * that are named, in microseconds. Their gateways take turns; two processes of the same code differ, so others are
 * started for a second round, in the other order.
 */

const CONNECTIONS = 16;
const WARM_UP_ROUNDS = 3;
const ROUNDS = 6;

const roots = process.argv.slice(2).map((path) => resolve(path));
const rows = ROWS.filter(({ yardstick }) => yardstick.server === 'proxy');
const upstream = await startServer('upstream');
for (const order of [roots, roots.toReversed()]) {
  const gateways = new Map<string, MeteredServer>();
  for (const root of order) gateways.set(root, await startGateway(root));
  for (const { work, mode, gateway: load } of rows) {
    await upstream.tell(mode);
    const times = new Map<string, number[]>(roots.map((root) => [root, []]));
    for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
      for (const [root, server] of gateways) {
        const { cpuPerRequest } = await measure({ server, load }, CONNECTIONS);
        if (round >= 0) times.get(root)?.push(cpuPerRequest);
      }
    }
    const figures = [...times.values()].map((each) => `${middle(each).toFixed(0)} µs`.padStart(8));
    console.log(work.padEnd(40), ...figures);
  }
  for (const gateway of gateways.values()) await gateway.stop();
}
await upstream.stop();

/** Each checkout starts its own. */
async function startGateway(root: string): Promise<MeteredServer> {
  const own: typeof import('./metered-server.ts') = await import(`${root}/test/bench/metered-server.ts`);
  return own.startServer('gateway', {
    UPSTREAM_URL: upstream.url,
    PORT: '0',
    HOST: '127.0.0.1',
    AUTH: 'off',
  });
}
