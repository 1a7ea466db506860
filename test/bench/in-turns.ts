import { type Measurement, middle, type Subject } from './measure.ts';

export interface Turns {
  /** Requests of each subject that are not counted. */
  readonly warmUp: number;
  /** For one subject. */
  readonly seconds: number;
}

const TURNS: Turns = { warmUp: 20, seconds: Number(process.env['BENCH_SECONDS'] ?? 1) * 8 };

/**
 * Asks the subjects in turn, one request at a time, and gives the middle of each one's times. For much work a
 * request: the speed of a machine with others on it changes within seconds, and in a second there are only few
 * answers to count.
 */
export async function measureInTurns(
  subjects: readonly Subject[],
  { warmUp, seconds }: Turns = TURNS,
): Promise<readonly Measurement[]> {
  for (let turn = 0; turn < warmUp; turn++) {
    for (const subject of subjects) await timeOf(subject);
  }
  const before = await cpuTimes(subjects);
  const times: number[][] = subjects.map(() => []);
  const end = performance.now() + subjects.length * seconds * 1_000;
  while (performance.now() < end) {
    for (const [index, subject] of subjects.entries()) times[index]?.push(await timeOf(subject));
  }
  const after = await cpuTimes(subjects);
  return times.map((all, index) => ({
    perSecond: 1_000 / middle(all),
    cpuPerRequest: ((after[index] ?? 0) - (before[index] ?? 0)) / all.length,
  }));
}

/** One after the other: two may be of one server, which answers in turn. */
async function cpuTimes(subjects: readonly Subject[]): Promise<readonly number[]> {
  const times: number[] = [];
  for (const { server } of subjects) times.push(await server.cpuTime());
  return times;
}

/** In milliseconds, until the whole answer is there. It must be a 200. */
async function timeOf({ server, load }: Subject): Promise<number> {
  const { body } = load;
  const json = body !== undefined && { 'content-type': 'application/json' };
  const start = performance.now();
  const response = await fetch(`${server.url}${load.path}`, {
    headers: { ...server.headers, ...json },
    ...(body !== undefined && { method: 'POST', body }),
  });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`${load.path}: expected 200, found ${response.status}.`);
  return performance.now() - start;
}
