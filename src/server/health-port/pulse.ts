/** What `/health/ready` says. */
export type Readiness = 'not ready' | 'ready' | 'stopping';

const STATES: readonly Readiness[] = ['not ready', 'ready', 'stopping'];
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

  beat(readiness: Readiness): void {
    Atomics.store(this.#state, 0, STATES.indexOf(readiness));
    Atomics.store(this.#beat, 0, BigInt(Date.now()));
  }

  get readiness(): Readiness {
    return STATES[Atomics.load(this.#state, 0)] ?? 'not ready';
  }

  /** Milliseconds since the last beat. */
  get silence(): number {
    return Date.now() - Number(Atomics.load(this.#beat, 0));
  }
}
