import type { WholeResponse } from '../../../contract/exchange.ts';
import { GatewayError } from '../../../contract/gateway-error.ts';
import type { BatchRequest } from '../../payload/batch/batch-request.ts';

/** How much room the answers of one batch still have: they are held until the last of them is there. */
export class AnswerRoom {
  readonly #limit: number;
  #left: number;

  constructor(limit: number) {
    this.#limit = limit;
    this.#left = limit;
  }

  /** Refuses to read more where there is no room left; changes are made all the same, since their answers are small. */
  demand({ method }: BatchRequest): void {
    if (this.#left > 0 || method !== 'GET') return;
    const message = `The answers to this batch come to more than ${this.#limit} bytes: ask for less at a time.`;
    throw new GatewayError('PayloadTooLarge', message);
  }

  take({ body }: WholeResponse): void {
    this.#left -= body === undefined ? 0 : Buffer.byteLength(body);
  }
}
