import type { BudgetedRequest, GatewayResponse, WholeResponse } from '../../../../contract/exchange.ts';
import { GatewayError } from '../../../../contract/gateway-error.ts';
import { isStreamBody, wholeResponse } from '../../../../contract/stream-body.ts';
import type { BatchAnswer, BatchRequest } from '../../../payload/batch/batch-request.ts';
import { errorResponse } from '../../protocol/error-response.ts';
import type { Outcome, Outcomes } from './outcome.ts';
import { type Batch, partRequest } from './part-request.ts';

/** What a part came to: an answer, or what is wrong. */
export type Attempt =
  | { readonly kind: 'done'; readonly response: WholeResponse; readonly outcome: Outcome }
  | { readonly kind: 'failed'; readonly error: GatewayError };

/** How long a stream may be here: it is held as a whole before the answer to the batch is written. */
const MAX_STREAM_BYTES = 10 * 1024 * 1024;

/** Carries out a part of the batch; whatever goes wrong is its own failure and not that of the batch. */
export async function attemptPart(batch: Batch, part: BatchRequest, outcomes: Outcomes): Promise<Attempt> {
  try {
    demandClient(batch.outer);
    // Changes are made all the same: their answers are small.
    if (part.method === 'GET') batch.outer.budget.demandRoom();
    const memory = batch.outer.memory?.part();
    const request = { ...partRequest(batch, part, outcomes), memory };
    const answer = await batch.service.perform(request);
    const shown = part.method === 'HEAD' ? withoutBody(answer) : answer;
    const response = await wholeResponse(shown, MAX_STREAM_BYTES);
    batch.outer.budget.hold(sizeOf(response));
    memory?.settle(sizeOf(response));
    const outcome = { kind: 'done', target: entityTarget(batch, request, response), response } as const;
    return { kind: 'done', response, outcome };
  } catch (error) {
    return { kind: 'failed', error: toGatewayError(batch, error) };
  }
}

function sizeOf({ body }: WholeResponse): number {
  return body === undefined ? 0 : Buffer.byteLength(body);
}

function withoutBody(response: GatewayResponse): WholeResponse {
  if (isStreamBody(response.body)) response.body.bytes.destroy();
  return { ...response, body: undefined };
}

/** A client that has gone away wants nothing more. */
export function demandClient({ signal }: BudgetedRequest): void {
  if (signal.aborted) throw new GatewayError('ClientClosedRequest', 'The client closed the connection.');
}

export function toGatewayError({ service, outer }: Batch, error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  service.log?.error({ id: outer.id, err: error }, 'a part of a batch failed');
  return new GatewayError('InternalError', 'The gateway failed to answer this request.', { cause: error });
}

export function failedAnswer({ defaults }: Batch, request: BatchRequest, error: GatewayError): BatchAnswer {
  return { request, response: errorResponse(error, { ...defaults, ...request.headers }) };
}

/** What a reference to the request leads to: what it has created, or else what it was about (Part 1, 11.7.4). */
export function entityTarget(
  { service: { root } }: Batch,
  { method, target }: BudgetedRequest,
  { headers: { location } }: GatewayResponse,
): string | undefined {
  if (location?.startsWith(`${root}/`)) return location.slice(root.length);
  return method === 'POST' ? undefined : target.split('?')[0];
}
