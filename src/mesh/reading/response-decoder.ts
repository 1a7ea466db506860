import type { GatewayError } from '../../contract/gateway-error.ts';
import type { Work } from '../../contract/work.ts';
import { badResponse } from '../exchange/upstream-failure.ts';

/** Parsed data takes about this much for each byte of its text. */
export const DATA_WEIGHT = 2;

/**
 * What somebody makes of the data of an answer: rows for a query, or the data itself once it is checked.
 *
 * The object stands for the purpose, too: what it has made of a state of the data is found by it again.
 */
export interface ResponseDecoder<Made = unknown> {
  /** Numbers that no double holds come with their digits, as {@link ExactNumber}. */
  readonly exact: boolean;
  /** The data is held against the type of the field first: what is read of it is not all that is promised. */
  readonly checked: boolean;
  /** Throws an UpstreamBadResponse for what is not as it should be. The data may be shared: see {@link ResponseCheck}. */
  readonly read: (data: unknown) => Made;
  /** Reads data that is used once and not kept: its rows are made while they are gone through. */
  readonly readOnce?: ((data: unknown, late: LazyReading) => Made) | undefined;
  /** The same as `read` of data that is long, so that others can go first in between. */
  readonly readInParts?: ((data: unknown) => Work<Made>) | undefined;
  /** Roughly what it takes, in bytes, where the answer's body has so many. */
  weigh(made: Made, bodySize: number): number;
}

/** What is done when it turns out late that data is not as it should be. */
export interface LazyReading {
  /** The data with integers that no number holds; undefined where it has none. */
  readonly again: () => unknown;
  /** Takes note of what is thrown. */
  readonly report: (error: unknown) => void;
}

const LEVELS = 200;

/**
 * Where a reader is in the upstream's data: names and indexes, from the outermost to the innermost. It
 * costs an assignment a value and becomes text only where a value is not what is expected.
 */
export class JsonPathTracker {
  readonly #steps: (string | number)[] = [];
  #depth = 0;

  /** Goes back to the beginning. */
  restart(): void {
    this.#depth = 0;
  }

  /** Goes one level deeper; the data's own depth is bounded here. */
  enter(): void {
    this.#depth += 1;
    if (this.#depth > LEVELS) throw this.misfit(`at most ${LEVELS} levels`, undefined);
  }

  leave(): void {
    this.#depth -= 1;
  }

  /** The member or the item that is read next, on this level. */
  at(step: string | number): void {
    this.#steps[this.#depth - 1] = step;
  }

  misfit(expected: string, found: unknown): GatewayError {
    const steps = this.#steps.slice(0, this.#depth);
    const place = steps.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
    return badResponse(`${place || 'the body'}: expected ${expected}, found ${describe(found)}`);
  }
}

const DESCRIBED_LENGTH = 40;

function describe(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return JSON.stringify(value.slice(0, DESCRIBED_LENGTH));
  return typeof value === 'object' ? 'an object' : String(value);
}
