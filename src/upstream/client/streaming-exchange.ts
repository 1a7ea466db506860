import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { GatewayError } from '../../contract/gateway-error.ts';
import {
  faultOf,
  type UpstreamAnswer,
  UpstreamExchange,
  type UpstreamFault,
  type UpstreamStream,
} from '../exchange/upstream-exchange.ts';

/** Answers whose body is what was asked for (RFC 9110, 15.3.1, 15.3.4 and 15.3.7). */
const HANDED_ON: ReadonlySet<number> = new Set([200, 203, 206]);

/**
 * One request on one connection, whose answer's body is handed on as it comes: it settles at the answer's
 * headers. Any other answer is collected. The upstream is read no faster than the body is; giving the body
 * up gives the connection up.
 */
export class StreamingExchange implements Dispatcher.DispatchHandler {
  readonly #settle: (outcome: UpstreamStream) => void;
  readonly #collecting: UpstreamExchange;
  #body: Readable | undefined;

  constructor(sizeLimit: number, settle: (outcome: UpstreamAnswer | UpstreamStream | UpstreamFault) => void) {
    this.#settle = settle;
    this.#collecting = new UpstreamExchange(sizeLimit, settle);
  }

  cancel(reason: GatewayError): void {
    if (this.#body === undefined) this.#collecting.cancel(reason);
    else this.#body.destroy(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#collecting.onRequestStart(controller);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (!HANDED_ON.has(status)) {
      this.#collecting.onResponseStart(controller, status, headers);
      return;
    }
    this.#body = bodyOf(controller);
    this.#settle({ kind: 'stream', status, headers, body: this.#body });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#body === undefined) this.#collecting.onResponseData(controller, chunk);
    else if (!this.#body.push(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    if (this.#body === undefined) this.#collecting.onResponseEnd();
    else this.#body.push(null);
  }

  onResponseError(controller: unknown, error: Error): void {
    if (this.#body === undefined) this.#collecting.onResponseError(controller, error);
    else this.#body.destroy(faultOf(error).error);
  }
}

function bodyOf(controller: Dispatcher.DispatchController): Readable {
  const body = new Readable({
    read: () => controller.resume(),
    destroy(error, done) {
      // Nothing of the answer is left for a later call to read; after its end, this does nothing.
      controller.abort(error ?? new Error('given up'));
      done(error);
    },
  });
  // The consumer gets the error; without a listener, an earlier one would end the process.
  return body.on('error', () => undefined);
}
