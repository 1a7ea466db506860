import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Readiness } from '../health.ts';
import type { Metrics } from '../metrics.ts';

/** TypeScript in the repository, JavaScript in the package. */
const WORKER = new URL(`./health-worker${extname(import.meta.url)}`, import.meta.url);
const BEAT_MS = 250;

/** Where the thread is to listen, and what it looks at. */
export interface HealthOrder {
  readonly host: string;
  readonly port: number;
  readonly memory: SharedArrayBuffer;
  /** Addresses and networks from which `/metrics` may be read; undefined if it is not served. */
  readonly metricsReaders: readonly string[] | undefined;
}

/** The thread wants the metrics, for the request of that number. */
export interface MetricsRequest {
  readonly kind: 'metrics';
  readonly number: number;
}

/** The metrics; undefined if they cannot be written. */
export interface MetricsText {
  readonly number: number;
  readonly metrics: { readonly text: string; readonly contentType: string } | undefined;
}

export type HealthOutcome =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'failure'; readonly message: string; readonly code: string | undefined };

/**
 * A port at which `/health/live` and `/health/ready` are answered by a thread of its own, however busy this one is, and
 * `/metrics` when this one has time.
 */
export interface HealthPort {
  readonly port: number;
  /** What `/health/ready` says from now on. */
  say(readiness: PortReadiness): void;
  /** Has `/metrics` served from now on. */
  show(metrics: Pick<Metrics, 'write' | 'contentType'>): void;
  close(): Promise<void>;
}

/**
 * Opens the port; it says that the process is not ready. Fails with Node's error, such as EADDRINUSE.
 *
 * The thread looks at the pulse of this one: where that is silent for long, the process is not live.
 */
export async function openHealthPort(
  host: string,
  port: number,
  metricsReaders: readonly string[] | undefined,
): Promise<HealthPort> {
  const pulse = new Pulse();
  let readiness: PortReadiness = 'not ready';
  const beat = (): void => pulse.beat(readiness);
  beat();
  const order: HealthOrder = { host, port, memory: pulse.memory, metricsReaders };
  const thread = new Worker(WORKER, { workerData: order });
  const [outcome]: [HealthOutcome] = (await once(thread, 'message')) as [HealthOutcome];
  if (outcome.kind === 'failure') {
    await thread.terminate();
    throw Object.assign(new Error(outcome.message), { code: outcome.code, port, address: host });
  }
  thread.unref();
  const beating = setInterval(beat, BEAT_MS).unref();
  return {
    port: outcome.port,
    say(next) {
      readiness = next;
      beat();
    },
    show({ write, contentType }) {
      thread.on('message', async ({ number }: MetricsRequest) => {
        const text = await write().catch(() => undefined);
        const answer: MetricsText = { number, metrics: text === undefined ? text : { text, contentType } };
        thread.postMessage(answer);
      });
      // A listener would keep the process running.
      thread.unref();
    },
    async close() {
      clearInterval(beating);
      await thread.terminate();
    },
  };
}

/** What `/health/ready` says. */
type PortReadiness = Readiness | 'stopping';

const STATES: readonly PortReadiness[] = ['not ready', 'ready', 'degraded', 'stopping'];
const BYTES = 16;

/** What one thread says of itself and another one looks at: whether it is ready, and when it has said so last. */
export class Pulse {
  /** Shared by both threads. */
  readonly memory: SharedArrayBuffer;
  readonly #beat: BigInt64Array;
  readonly #state: Int32Array;

  constructor(memory = new SharedArrayBuffer(BYTES)) {
    this.memory = memory;
    this.#beat = new BigInt64Array(memory, 0, 1);
    this.#state = new Int32Array(memory, BigInt64Array.BYTES_PER_ELEMENT, 1);
  }

  beat(readiness: PortReadiness): void {
    Atomics.store(this.#state, 0, STATES.indexOf(readiness));
    Atomics.store(this.#beat, 0, BigInt(Date.now()));
  }

  get readiness(): PortReadiness {
    return STATES[Atomics.load(this.#state, 0)] ?? 'not ready';
  }

  /** Milliseconds since the last beat. */
  get silence(): number {
    return Date.now() - Number(Atomics.load(this.#beat, 0));
  }
}
