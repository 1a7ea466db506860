import type { GatewayError } from '../../contract/gateway-error.ts';
import { badResponse } from '../exchange/upstream-failure.ts';

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
