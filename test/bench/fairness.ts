import { once } from 'node:events';
import { connect } from 'node:net';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { startServer } from './metered-server.ts';
import { ordersProject } from './orders-project.ts';
import { pause, probeWhile } from './probe.ts';
import { ACCOUNTS, signedIn } from './signed-in.ts';

/**
 * Prints how long others wait for one entity while somebody asks for much: the 99th percentile, in milliseconds; and how
 * long the gateway held its event loop at a stretch, in processor time, which tells on a machine with others on it, too.
 */

const MUST = 50;
const SECONDS = 5;

/** What is asked for meanwhile, from a thread of its own: the clients that are timed do not wait for its work. */
type Load =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'get'; readonly path: string; readonly clients: number }
  | { readonly kind: 'batch'; readonly filter: string; readonly parts: number }
  | { readonly kind: 'pipelined'; readonly sockets: number; readonly requests: number };

const filtered = (text: string): string => `Order100000?$select=Id&$filter=${encodeURIComponent(text)}`;
const PATTERN = filtered("matchesPattern(Body,'(a|b)*j.*x$')");

const LOADS: readonly (readonly [work: string, load: Load])[] = [
  ['nothing else', { kind: 'nothing' }],
  [
    'ten long filters over 100,000 rows',
    { kind: 'get', path: `/odata/${filtered("contains(tolower(Body),'xyz')")}`, clients: 10 },
  ],
  ['a batch of 40 patterns', { kind: 'batch', filter: PATTERN, parts: 40 }],
  ['100 anonymous sockets, 3,600 requests each', { kind: 'pipelined', sockets: 100, requests: 3600 }],
  ['a whole list of 100,000', { kind: 'get', path: '/odata/Order100000', clients: 1 }],
];

if (isMainThread) await main();
else await bear(workerData.url, workerData.load, workerData.headers);

async function main(): Promise<void> {
  // What takes the API's time is no matter of the gateway's.
  const [upstream, other] = [await startServer('orders'), await startServer('orders')];
  const { meshConfig, remove } = ordersProject(upstream.url, other.url);
  const gateway = await startServer('gateway', {
    ...ACCOUNTS,
    MESH_CONFIG: meshConfig,
    PORT: '0',
    LOG_LEVEL: 'error',
    QUERY_MS: '60000',
  });
  try {
    const { url } = gateway;
    const { headers } = await signedIn(gateway);
    const byKey = `${url}/odata/Order10000(7)`;
    await probeWhile(byKey, pause(2000), headers);
    for (const [work, load] of LOADS.filter(([name]) => name.includes(process.argv[2] ?? ''))) {
      const worker = new Worker(new URL(import.meta.url), { workerData: { url, load, headers } });
      await gateway.longestHold();
      const { answers, median, p99 } = await probeWhile(byKey, once(worker, 'exit'), headers);
      const verdict = p99 <= MUST ? 'reached' : 'MISSED';
      console.log(
        work.padEnd(40),
        `${p99.toFixed(0)} ms`.padStart(8),
        verdict.padEnd(8),
        `median ${median.toFixed(1)} ms of ${answers}; held for ${(await gateway.longestHold()).toFixed(0)} ms`,
      );
    }
  } finally {
    await Promise.all([gateway.stop(), upstream.stop(), other.stop()]);
    remove();
  }
}

/** Asks for the same again and again for a few seconds. */
async function bear(url: string, load: Load, headers: Readonly<Record<string, string>>): Promise<void> {
  const end = performance.now() + SECONDS * 1000;
  switch (load.kind) {
    case 'nothing':
      return pause(SECONDS * 1000);
    case 'get':
      await Promise.all(
        Array.from({ length: load.clients }, () => untilEnd(end, () => fetch(url + load.path, { headers }))),
      );
      return;
    case 'batch': {
      const requests = Array.from({ length: load.parts }, (_, id) => ({
        id: String(id),
        method: 'GET',
        url: load.filter,
      }));
      const init = {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ requests }),
      };
      return untilEnd(end, () => fetch(`${url}/odata/$batch`, init));
    }
    case 'pipelined':
      await Promise.all(Array.from({ length: load.sockets }, () => pipeline(url, load.requests)));
  }
}

async function untilEnd(end: number, ask: () => Promise<Response>): Promise<void> {
  while (performance.now() < end) await (await ask()).arrayBuffer();
}

/** Sends all requests at once, and reads until the gateway has closed the connection or time is up. */
async function pipeline(url: string, requests: number): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => socket.destroy());
  socket.resume();
  socket.write(`GET /odata/Order10000(8) HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`.repeat(requests));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await Promise.race([closed, pause(SECONDS * 1000)]);
  socket.destroy();
}
