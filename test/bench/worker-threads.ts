import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { isMainThread, MessageChannel, parentPort, receiveMessageOnPort, Worker } from 'node:worker_threads';

/**
 * Prints what it would cost to work on long lists in other threads: to hand rows to one, beside parsing and filtering
 * them, and the memory of one that has loaded the gateway, so that it could read them itself.
 */

const ROWS = 100_000;
const TIMES = 5;
const MIB = 1024 * 1024;

if (isMainThread) await measure();
else await loadGateway().then(() => parentPort?.postMessage('loaded'));

async function measure(): Promise<void> {
  const rows = Array.from({ length: ROWS }, (_, index) => ({
    userId: index % 10,
    id: index,
    title: `juniper cedar ${index}`,
    body: `${'some text that stands here '.repeat(4)}${index}`,
  }));
  const text = JSON.stringify(rows);
  const { port1, port2 } = new MessageChannel();
  const works: readonly (readonly [string, () => unknown])[] = [
    ['parse', () => JSON.parse(text)],
    ['filter', () => rows.filter(({ title, userId }) => title.includes('cedar') && userId > 5)],
    [
      'hand to another thread',
      () => {
        port1.postMessage(rows);
        return receiveMessageOnPort(port2);
      },
    ],
  ];
  for (const [name, work] of works)
    console.log(`${name}: ${cpuTimeOf(work).toFixed(0)} ms of processor time`);
  port1.close();
  console.log(`a worker that has loaded the gateway: ${await memoryOfWorker()} MiB`);
}

function cpuTimeOf(work: () => unknown): number {
  for (let warmUp = 0; warmUp < 2; warmUp++) work();
  const before = process.cpuUsage();
  for (let time = 0; time < TIMES; time++) work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / TIMES;
}

async function memoryOfWorker(): Promise<number> {
  await loadGateway();
  const before = process.memoryUsage.rss();
  const worker = new Worker(fileURLToPath(import.meta.url));
  await once(worker, 'message');
  const after = process.memoryUsage.rss();
  await worker.terminate();
  return Math.round((after - before) / MIB);
}

async function loadGateway(): Promise<void> {
  await import('../../src/app.ts');
}
