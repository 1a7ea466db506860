import { Agent, request } from 'node:http';
import type { MeteredServer } from './metered-server.ts';

/** Times of answers in milliseconds. */
export interface ProbedTimes {
  readonly answers: number;
  readonly median: number;
  readonly p99: number;
}

const CLIENTS = 4;
const PAUSE_MS = 2;

/** Asks again and again, as a few clients do, until what is awaited is done. Every answer must be a 200. */
export async function probeWhile(
  url: string,
  work: PromiseLike<unknown>,
  headers: MeteredServer['headers'] = {},
): Promise<ProbedTimes> {
  let isDone = false;
  const done = Promise.resolve(work).finally(() => {
    isDone = true;
  });
  const times: number[] = [];
  const client = async (): Promise<void> => {
    while (!isDone) {
      const started = performance.now();
      const status = await statusOf(url, headers);
      times.push(performance.now() - started);
      if (status !== 200) throw new Error(`${url}: expected 200, found ${status}.`);
      await pause(PAUSE_MS);
    }
  };
  await Promise.all([done, ...Array.from({ length: CLIENTS }, client)]);
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { answers: times.length, median: at(0.5), p99: at(0.99) };
}

const agent = new Agent({ keepAlive: true });

function statusOf(url: string, headers: NonNullable<MeteredServer['headers']>): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers, agent }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', reject);
    sent.end();
  });
}

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
