import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type MeteredServer, startServer } from '../bench/metered-server.ts';
import { ordersProject } from '../bench/orders-project.ts';
import { type GatewayProcess, startGatewayProcess } from './gateway-process.ts';
import { ask, askByMany, countStatuses, type Outcome, readSlowly } from './many-requests.ts';

/** Lists of about 20 MB and of 2 MB. */
const LONG = '/odata/Order100000';
const SHORT = '/odata/Order10000';
const SHORT_ROWS = 10_000;

/** The statuses that an overloaded gateway may send; truncated responses are not allowed. */
const DOCUMENTED = new Set([200, 503, 504]);

const byKey = (gateway: GatewayProcess) => (client: number) =>
  `${gateway.url}${SHORT}(${(client % SHORT_ROWS) + 1})`;

function expectDocumented(outcomes: readonly Outcome[]): void {
  expect(outcomes.filter(({ status }) => !DOCUMENTED.has(status)).map(({ failure }) => failure)).toEqual([]);
  expect(outcomes.filter(({ status, retryAfter }) => status === 503 && retryAfter === undefined)).toEqual([]);
}

describe.each([
  { memoryMib: 512, environment: {} },
  {
    memoryMib: 256,
    environment: {
      MEMORY_MIB: '16',
      REQUESTS_AT_ONCE: '512',
      MAX_CONNECTIONS: '1500',
      ANSWERS_MIB: '24',
      ANSWERS_WAIT_MS: '1000',
    },
  },
])('a process of $memoryMib MiB', ({ memoryMib, environment }) => {
  /** The status for a list that can never fit into memory. */
  const refused = memoryMib < 512 ? 413 : undefined;
  let upstream: MeteredServer;
  let project: ReturnType<typeof ordersProject>;
  let gateway: GatewayProcess;

  beforeAll(async () => {
    upstream = await startServer('orders');
    project = ordersProject(upstream.url);
  });
  afterAll(async () => {
    await upstream.stop();
    project.remove();
  });

  async function start(): Promise<void> {
    gateway = await startGatewayProcess({
      memoryMib,
      environment: { MESH_CONFIG: project.meshConfig, LOG_LEVEL: 'info', ...environment },
    });
    onTestFinished(gateway.stop);
  }

  /** Expects the gateway to be live, within its memory limit, and serving. */
  async function expectWell(): Promise<void> {
    expect((await ask(`${gateway.healthUrl}/health/live`)).status).toBe(200);
    await expect
      .poll(async () => (await ask(`${gateway.url}${SHORT}`)).status, { timeout: 60_000 })
      .toBe(200);
    expect(gateway.process.exitCode).toBe(null);
    // The files that it is made of are not counted in a container.
    expect(gateway.peak() ?? 0).toBeLessThan(memoryMib + 64);
  }

  it('stays up under long lists and a batch of many', async () => {
    await start();
    const lists = await Promise.all(Array.from({ length: 5 }, () => ask(`${gateway.url}${LONG}`)));
    expectDocumented(lists.filter(({ status }) => status !== refused));
    const wholes = new Set(lists.filter(({ status }) => status === 200).map(({ size }) => size));
    expect(wholes.size).toBeLessThanOrEqual(1);
    const requests = Array.from({ length: memoryMib < 512 ? 5 : 50 }, (_, id) => ({
      id: String(id),
      method: 'GET',
      url: SHORT.slice('/odata/'.length),
    }));
    const batch = await ask(`${gateway.url}/odata/$batch`, { body: JSON.stringify({ requests }) });
    expect(batch.status).toBe(200);
    await expectWell();
  });

  it('stays up under readers of a kilobyte a second, and answers others meanwhile', async () => {
    await start();
    const slow = readSlowly(`${gateway.url}${memoryMib < 512 ? SHORT : LONG}`, 250);
    const others = await askByMany(byKey(gateway), 64, 10);
    slow.end();
    expectDocumented(others);
    expect(countStatuses(others)[200]).toBeGreaterThan(0);
    await expectWell();
  });

  it.each(memoryMib < 512 ? [1000] : [1000, 5000])('stays up under %i clients', async (clients) => {
    await start();
    const outcomes = await askByMany(byKey(gateway), clients, 1);
    expectDocumented(outcomes);
    expect(countStatuses(outcomes)[200]).toBeGreaterThan(0);
    await expectWell();
  });

  it('stays up under long filters, and answers others and the probe meanwhile', async () => {
    await start();
    let isDone = false;
    const filters = Array.from({ length: 10 }, (_, number) => {
      const filter = encodeURIComponent(
        `contains(tolower(Body),'x${number}') or contains(Title,'${number}')`,
      );
      return ask(`${gateway.url}${LONG}?$count=true&$top=1&$filter=${filter}`);
    });
    const filtered = Promise.all(filters).finally(() => {
      isDone = true;
    });
    const others: Outcome[] = [];
    const probes: Outcome[] = [];
    while (!isDone) {
      probes.push(await ask(`${gateway.healthUrl}/health/live`));
      others.push(await ask(byKey(gateway)(others.length)));
    }
    expect(countStatuses(probes)).toStrictEqual({ 200: probes.length });
    expectDocumented(others);
    expectDocumented((await filtered).filter(({ status }) => status !== refused));
    await expectWell();
  });
});
