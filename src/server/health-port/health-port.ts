import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Readiness } from '../health.ts';
import type { Metrics } from '../metrics.ts';

/** TypeScript in the repository, JavaScript in the package. */
const WORKER = new URL(`./health-worker${extname(import.meta.url)}`, import.meta.url);
const BEAT_MS = 250;

/** The options of the worker thread. */
export interface HealthOrder {
  readonly host: string;
  readonly port: number;
  readonly memory: SharedArrayBuffer;
  /** Addresses and networks from which `/metrics` may be read; undefined if it is not served. */
  readonly metricsReaders: readonly string[] | undefined;
}

/** A request of the thread for the metrics, with the number of the HTTP request. */
export interface MetricsRequest {
  readonly kind: 'metrics';
  readonly number: number;
}

/** The metrics; undefined if they could not be written. */
export interface MetricsText {
  readonly number: number;
  readonly metrics: { readonly text: string; readonly contentType: string } | undefined;
}

export type HealthOutcome =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'failure'; readonly message: string; readonly code: string | undefined };

/**
 * A port with `/health/live` and `/health/ready`, served by its own thread however busy the main thread is,
 * and `/metrics`, which the main thread writes.
 */
export interface HealthPort {
  readonly port: number;
  /** Sets the state that `/health/ready` reports. */
  say(readiness: PortReadiness): void;
  /** Starts to serve `/metrics`. */
  show(metrics: Pick<Metrics, 'write' | 'contentType'>): void;
  close(): Promise<void>;
}

/**
 * Opens the port, in the state `not ready`. Throws Node's error, such as EADDRINUSE.
 *
 * The thread watches the pulse of the main thread: after a long silence, the process is not live.
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

/** The state that `/health/ready` reports. */
type PortReadiness = Readiness | 'stopping';

const STATES: readonly PortReadiness[] = ['not ready', 'ready', 'degraded', 'stopping'];
const BYTES = 16;

/** The readiness of the main thread and the time of its last sign of life, shared with the worker. */
export class Pulse {
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

  get silence(): number {
    return Date.now() - Number(Atomics.load(this.#beat, 0));
  }
}
