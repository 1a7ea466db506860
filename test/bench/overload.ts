import autocannon from 'autocannon';
import { freePort } from '../support/free-port.ts';
import { startServer } from './metered-server.ts';
import { ordersProject } from './orders-project.ts';
import { probeWhile } from './probe.ts';

/**
 * Prints how many good answers a second there are for 256, 1,000 and 5,000 clients that ask for one entity each, and how
 * long `/health/live` takes meanwhile on its own port.
 */

const CLIENTS = [256, 1000, 5000];
const SECONDS = 8;
const MUST_RATE = 0.7;
const MUST_HEALTH = 50;

await main();

async function main(): Promise<void> {
  const upstream = await startServer('orders');
  const { meshConfig, remove } = ordersProject(upstream.url);
  const healthPort = await freePort();
  const gateway = await startServer('gateway', {
    HEALTH_PORT: String(healthPort),
    MESH_CONFIG: meshConfig,
    AUTH: 'off',
    PORT: '0',
    LOG_LEVEL: 'error',
  });
  const run = (connections: number, duration: number) =>
    autocannon({
      url: `${gateway.url}/odata/Order10000(7)`,
      connections,
      duration,
      timeout: 60,
      // A thread of its own: the probe does not wait for its work.
      workers: 1,
    });
  try {
    await run(64, 3);
    let least: number | undefined;
    for (const clients of CLIENTS) {
      const before = await gateway.cpuTime();
      const load = run(clients, SECONDS);
      const health = await probeWhile(`http://127.0.0.1:${healthPort}/health/live`, load);
      const found = await load;
      const rate = found['2xx'] / found.duration;
      const cpuRate = found['2xx'] / (((await gateway.cpuTime()) - before) / 1e6);
      least ??= rate * MUST_RATE;
      const isReached = rate >= least && health.p99 <= MUST_HEALTH;
      console.log(
        `${clients} clients`.padEnd(16),
        `${rate.toFixed(0)} good answers a second`.padStart(32),
        isReached ? 'reached' : 'MISSED ',
        `${cpuRate.toFixed(0)} a second of the processor's; refused ${found.non2xx}, failed ${found.errors}; /health/live p99 ${health.p99.toFixed(0)} ms`,
      );
    }
  } finally {
    await Promise.all([gateway.stop(), upstream.stop()]);
    remove();
  }
}
