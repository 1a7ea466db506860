import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { GatewayError } from '../../contract/gateway-error.ts';

export interface JudgeOrder {
  readonly number: number;
  readonly password: string;
  readonly words: readonly string[];
}

export interface Judgement {
  readonly number: number;
  readonly isHardToGuess: boolean;
}

/** Who is to have the password: what he is called is what is tried first. */
interface Owner {
  readonly email: string;
  readonly name?: string | undefined;
}

/** What comes after that many characters is not looked at: the time it takes grows with their square. */
const MOST_JUDGED = 40;
const MOST_WORDS = 24;
const LEAST_WORD = 3;
const DEADLINE_MS = 10_000;
const MOST_WAITING = 32;
/** The dictionaries are not kept longer than somebody needs who thinks of another password. */
const IDLE_MS = 60_000;
const MEMORY_MIB = 256;

/** TypeScript in the repository, JavaScript in the package. */
const WORKER = new URL(`./password-judge-worker${extname(import.meta.url)}`, import.meta.url);

/** Throws BadRequest where somebody who knows the owner and the passwords of many others would soon have the password. */
export async function assertHardToGuess(password: string, owner: Owner): Promise<void> {
  const judged = [...password.normalize('NFKC')].slice(0, MOST_JUDGED).join('');
  if (await thread.isHardToGuess(judged, wordsOf(owner))) return;
  const advice = 'Choose a longer one, such as four words that are unrelated to each other and to you.';
  throw new GatewayError('BadRequest', `The password is too easy to guess. ${advice}`, {
    target: 'password',
  });
}

/** The name and the address, and what they are made of. */
function wordsOf({ email, name = '' }: Owner): readonly string[] {
  const wholes = [email, email.slice(0, email.indexOf('@')), name, name.replaceAll(/\s/g, ''), 'duogate'];
  const parts = `${email} ${name}`.split(/[^\p{L}\p{N}]+/u);
  const words = [...wholes, ...parts].map((word) => word.toLowerCase());
  return [...new Set(words)].filter(({ length }) => length >= LEAST_WORD).slice(0, MOST_WORDS);
}

interface Waiting {
  readonly resolve: (isHardToGuess: boolean) => void;
  readonly reject: (error: GatewayError) => void;
  readonly deadline: NodeJS.Timeout;
}

/** Judges in a thread that the first password starts: some keep it busy for half a second. It keeps no process going. */
class JudgeThread {
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #count = 0;

  isHardToGuess(password: string, words: readonly string[]): Promise<boolean> {
    if (this.#waiting.size >= MOST_WAITING) return Promise.reject(busy());
    clearTimeout(this.#idle);
    this.#worker ??= this.#start();
    this.#count += 1;
    const order: JudgeOrder = { number: this.#count, password, words };
    return new Promise((resolve, reject) => {
      const deadline = setTimeout(() => this.#giveUp(), DEADLINE_MS);
      this.#waiting.set(order.number, { resolve, reject, deadline });
      this.#worker?.postMessage(order);
    });
  }

  #start(): Worker {
    const worker = new Worker(WORKER, { resourceLimits: { maxOldGenerationSizeMb: MEMORY_MIB } });
    worker.on('message', (judgement: Judgement) => this.#settle(judgement));
    const giveUp = (): void => {
      if (this.#worker === worker) this.#giveUp();
    };
    // One that has ended without an error answers nobody either.
    worker.on('error', giveUp).on('exit', giveUp);
    // A listener for messages would keep the process going again.
    worker.unref();
    return worker;
  }

  #settle({ number, isHardToGuess }: Judgement): void {
    const waiting = this.#waiting.get(number);
    if (waiting === undefined) return;
    this.#waiting.delete(number);
    clearTimeout(waiting.deadline);
    waiting.resolve(isHardToGuess);
    if (this.#waiting.size === 0) this.#idle = setTimeout(() => this.#stop(), IDLE_MS).unref();
  }

  /** No password is taken that nobody has judged. */
  #giveUp(): void {
    const given = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#stop();
    for (const { deadline, reject } of given) {
      clearTimeout(deadline);
      reject(busy());
    }
  }

  #stop(): void {
    clearTimeout(this.#idle);
    void this.#worker?.terminate();
    this.#worker = undefined;
  }
}

/** One for the process: the dictionaries take a third of a second to load, and know nobody. */
const thread = new JudgeThread();

function busy(): GatewayError {
  return new GatewayError('Overloaded', 'Too many passwords are waiting to be checked. Try again.', {
    headers: { 'retry-after': '5' },
  });
}
