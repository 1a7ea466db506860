import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { GatewayError } from '../../contract/gateway-error.ts';

export interface JudgeOrder {
  readonly password: string;
  readonly words: readonly string[];
}

/** Sent when the worker has loaded its dictionaries, and when it has judged a password. */
export type Judgement =
  | { readonly kind: 'ready' }
  | { readonly kind: 'judged'; readonly isHardToGuess: boolean };

/** The account's owner; passwords made of the name or address are rejected. */
interface Owner {
  readonly email: string;
  readonly name?: string | undefined;
}

/** Maximum number of characters to judge: the time grows with their square. */
const MOST_JUDGED = 24;
const MOST_WORDS = 24;
const LEAST_WORD = 3;
/** Time limit for one password, from the start of its turn, in milliseconds. */
const TURN_MS = 10_000;
/** After this time, the worker is considered stuck. */
const STUCK_MS = 60_000;
/** Maximum numbers of waiting passwords, of all clients and of one. */
const MOST_WAITING = 32;
const MOST_OF_ONE = 8;
/** Time that an idle worker keeps its dictionaries: about as long as choosing another password takes. */
const IDLE_MS = 60_000;
const MEMORY_MIB = 256;

/** TypeScript in the repository, JavaScript in the package. */
const WORKER = new URL(`./password-judge-worker${extname(import.meta.url)}`, import.meta.url);

/**
 * Throws BadRequest if the password is common or derived from the owner's data.
 *
 * `from` is the address of the client. Clients take turns; throws Overloaded if one sends too many passwords
 * or a password takes too long. An operator, who has no `from`, waits without a limit.
 */
export async function assertHardToGuess(
  password: string,
  owner: Owner,
  from: string | undefined,
): Promise<void> {
  const judged = [...password.normalize('NFKC')].slice(0, MOST_JUDGED).join('');
  if (await thread.isHardToGuess({ password: judged, words: wordsOf(owner) }, from)) return;
  const advice = 'Choose a longer one, such as four words that are unrelated to each other and to you.';
  throw new GatewayError('BadRequest', `The password is too easy to guess. ${advice}`, {
    target: 'password',
  });
}

/** The name, the address, and their parts. */
function wordsOf({ email, name = '' }: Owner): readonly string[] {
  const wholes = [email, email.slice(0, email.indexOf('@')), name, name.replaceAll(/\s/g, ''), 'duogate'];
  const parts = `${email} ${name}`.split(/[^\p{L}\p{N}]+/u);
  const words = [...wholes, ...parts].map((word) => word.toLowerCase().slice(0, MOST_JUDGED));
  return [...new Set(words)].filter(({ length }) => length >= LEAST_WORD).slice(0, MOST_WORDS);
}

interface Waiting {
  readonly order: JudgeOrder;
  readonly from: string | undefined;
  readonly resolve: (isHardToGuess: boolean) => void;
  readonly reject: (error: GatewayError) => void;
}

/** Judges one password at a time, in a worker thread that the first one starts. */
class JudgeThread {
  /** By client, in the order of their turns. */
  readonly #waiting = new Map<string, Waiting[]>();
  #worker: Worker | undefined;
  #isReady = false;
  #current: Waiting | undefined;
  #timers: readonly NodeJS.Timeout[] = [];

  isHardToGuess(order: JudgeOrder, from: string | undefined): Promise<boolean> {
    const own = this.#waiting.get(from ?? '') ?? [];
    const all = [...this.#waiting.values()].reduce((sum, { length }) => sum + length, 0);
    if (from !== undefined && (all >= MOST_WAITING || own.length >= MOST_OF_ONE))
      return Promise.reject(busy());
    return new Promise((resolve, reject) => {
      own.push({ order, from, resolve, reject });
      this.#waiting.set(from ?? '', own);
      this.#goOn();
    });
  }

  #goOn(): void {
    if (this.#current !== undefined || (this.#worker !== undefined && !this.#isReady)) return;
    const [turn] = this.#waiting;
    if (turn === undefined) {
      this.#rest();
      return;
    }
    if (this.#worker === undefined) {
      this.#worker = this.#start();
      return;
    }
    const [from, [next, ...others]] = turn;
    this.#waiting.delete(from);
    if (others.length > 0) this.#waiting.set(from, others);
    if (next !== undefined) this.#begin(next, this.#worker);
  }

  #begin(next: Waiting, worker: Worker): void {
    this.#clearTimers();
    this.#current = next;
    // Keeps the process alive while a password is being judged, but not for an idle worker.
    worker.ref();
    worker.postMessage(next.order);
    if (next.from === undefined) return;
    const late = setTimeout(
      () => next.reject(busy('Checking the password took too long. Try again.')),
      TURN_MS,
    );
    this.#timers = [late, setTimeout(() => void worker.terminate(), STUCK_MS)];
  }

  #start(): Worker {
    const worker = new Worker(WORKER, { resourceLimits: { maxOldGenerationSizeMb: MEMORY_MIB } });
    worker.on('message', (judgement: Judgement) => this.#take(judgement));
    worker.on('error', () => undefined).on('exit', () => this.#lose(worker));
    return worker;
  }

  #take(judgement: Judgement): void {
    if (judgement.kind === 'ready') this.#isReady = true;
    else {
      this.#current?.resolve(judgement.isHardToGuess);
      this.#current = undefined;
    }
    this.#goOn();
  }

  /** Rejects the passwords of a worker that failed: an unjudged password is never accepted. */
  #lose(worker: Worker): void {
    if (this.#worker !== worker) return;
    const lost = this.#isReady ? [this.#current] : [...this.#waiting.values()].flat();
    if (!this.#isReady) this.#waiting.clear();
    this.#forget();
    for (const each of lost) each?.reject(busy());
    this.#goOn();
  }

  #rest(): void {
    this.#clearTimers();
    const worker = this.#worker;
    if (worker === undefined) return;
    worker.unref();
    const stop = (): void => {
      this.#forget();
      void worker.terminate();
    };
    this.#timers = [setTimeout(stop, IDLE_MS).unref()];
  }

  #forget(): void {
    this.#clearTimers();
    this.#worker = undefined;
    this.#isReady = false;
    this.#current = undefined;
  }

  #clearTimers(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers = [];
  }
}

/** Shared by the process, because loading the dictionaries takes a third of a second. */
const thread = new JudgeThread();

function busy(message = 'Too many passwords are waiting to be checked. Try again.'): GatewayError {
  return new GatewayError('Overloaded', message, {
    headers: { 'retry-after': '5' },
  });
}
