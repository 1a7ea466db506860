import type { WriteConditions } from '../../contract/entity-source.ts';
import type { StreamBody } from '../../contract/exchange.ts';
import type { GatewayError } from '../../contract/gateway-error.ts';
import type { UpstreamAnswer } from '../exchange/upstream-exchange.ts';
import type { HttpField } from '../fields/http-field.ts';
import type { ResponseDecoder } from '../reading/response-decoder.ts';
import type { LoadedData, StreamRequest } from './mesh-context.ts';
import { NO_REFUSALS, REFUSALS, statusFailure } from './status-failure.ts';

/** The HTTP request that Mesh has made of a root field and its arguments. */
export interface FieldRequest {
  readonly field: HttpField;
  /** Path and query, percent-encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | StreamBody | string | undefined;
  /** The answer may have no body, or null for it. */
  readonly mayBeEmpty: boolean;
  readonly making: ResponseDecoder;
  /** What is sent is the client's own: where the upstream refuses it, the mistake is the client's. */
  readonly takesInput: boolean;
  /** The media type of the body, where it is none that the document has for JSON. */
  readonly mediaType: string | undefined;
  /** The answer is handed on as it comes. */
  readonly stream: StreamRequest | undefined;
  /** In which state an entity is changed. */
  readonly conditions: WriteConditions | undefined;
  /** Takes note of a failure that shows when the answer has been handed on. */
  readonly report: (error: unknown) => void;
}

/** What is made of an answer without a body. */
export function noData({ making }: FieldRequest): LoadedData {
  return { made: making.read(null), state: undefined };
}

export function failureOf({ field, takesInput }: FieldRequest, answer: UpstreamAnswer): GatewayError {
  return statusFailure(field, answer, takesInput ? REFUSALS : NO_REFUSALS);
}
