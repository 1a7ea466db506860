import type { WholeResponse } from '../../../contract/exchange.ts';
import { GatewayError } from '../../../contract/gateway-error.ts';
import { REQUEST_LIMITS } from '../../../contract/request-limits.ts';
import { quote } from '../../../engine/input/mistakes.ts';

/** One request of a batch (Part 1, 11.7), whichever form the batch has. */
export interface BatchRequest {
  /** Content-ID of the multipart form, `id` of the JSON form; undefined where it has none. */
  readonly id: string | undefined;
  /** In upper case. */
  readonly method: string;
  /** As it was written: absolute, or relative to the host or the service, or leading on from a reference. */
  readonly url: string;
  /** Names are in lower case; without Content-ID. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
  /** Ids of requests and change sets before this one, without which it is not carried out (JSON Format, 19.1). */
  readonly dependsOn: readonly string[];
  /** The expression that `if` says decides whether it is carried out (JSON Format, 19.1). */
  readonly condition: string | undefined;
  /** Why it cannot be carried out, whatever comes of the others (Part 1, 11.7). */
  readonly refusal?: GatewayError;
  /** Where it stands in the batch, for messages. */
  readonly place: string;
}

/** What a batch has one after another; a change set is called an atomicity group in the JSON form. */
export type BatchItem =
  | { readonly kind: 'request'; readonly request: BatchRequest }
  | {
      readonly kind: 'changeSet';
      readonly id: string | undefined;
      readonly requests: readonly BatchRequest[];
    };

export interface BatchAnswer {
  readonly request: BatchRequest;
  readonly response: WholeResponse;
}

export type ItemAnswer =
  | { readonly kind: 'request'; readonly answer: BatchAnswer }
  | {
      readonly kind: 'changeSet';
      readonly id: string | undefined;
      readonly answers: readonly BatchAnswer[];
      /** The one of the answers that says why the change set as a whole has failed. */
      readonly failure: BatchAnswer | undefined;
    };

/** More than the most are refused while they are counted, before anybody keeps them. */
export function demandFewRequests(count: number, most: number): void {
  if (count <= most) return;
  const { variable } = REQUEST_LIMITS.batch.requests;
  throw new GatewayError('BadRequest', `Batch: expected at most ${most} requests (${variable}), found more.`);
}

/** A batch that cannot be read: nothing of it is carried out. */
export function malformedBatch(place: string, expected: string, found: string): GatewayError {
  return new GatewayError('BadRequest', `Batch, ${place}: expected ${expected}, found ${found}.`, {
    target: place,
  });
}

const METHOD = /^[A-Za-z]{1,20}$/;

/** Clients write methods in lower case, too. */
export function readMethod(text: string, place: string): string {
  if (!METHOD.test(text)) throw malformedBatch(place, 'a method', quote(text));
  return text.toUpperCase();
}
