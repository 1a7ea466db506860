import type { Readable } from 'node:stream';
import type { HandedOn } from './handed-on.ts';
import type { Holding } from './memory-allowance.ts';
import type { Principal } from './principal.ts';
import type { RequestBudget } from './request-budget.ts';

/** What every part that answers a request is told about it. */
export interface CallContext {
  /** Names the request in the log. */
  readonly id: string;
  readonly principal: Principal;
  /** Aborts when the client goes away: whatever is under way for the request is then given up. */
  readonly signal: AbortSignal;
  /** What upstreams are sent of its header fields; without it, nothing. */
  readonly handedOn?: HandedOn | undefined;
  /** What is held for the answer; without it, nobody counts that. */
  readonly memory?: Holding | undefined;
  /** Stands for a query that sees one state of the data: equal reads for it are made once. */
  readonly query?: object | undefined;
}

/**
 * A request inside the gateway: a plain record, because `$batch` makes them by the hundred.
 *
 * `target` is the raw request target below the part's mount point, with its query and still
 * percent-encoded, such as `/Post('a%2Fb')?$top=1`: the part splits it first and decodes it once.
 * Names of headers are in lower case.
 */
export interface GatewayRequest extends CallContext {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The body's bytes as they came, or undefined where the request has none. */
  readonly body: Uint8Array | undefined;
  /** The body as it comes, in the place of `body`, where the part that is asked wants it so. */
  readonly upload?: StreamBody;
  /** The address that the connection comes from, which may be a proxy's. */
  readonly remote?: string | undefined;
  /** Nothing of the answer but its header fields is sent (RFC 9110, 9.3.2): it came as HEAD and is shown as GET. */
  readonly bodiless?: boolean;
}

/** A request that is worked on, and what it may take. */
export interface BudgetedRequest extends GatewayRequest {
  readonly budget: RequestBudget;
}

/** A body that comes while it is written. Whoever does not read it to its end destroys `bytes`. */
export interface StreamBody {
  /** It fails where what is behind it breaks off: what was read is then less than the whole. */
  readonly bytes: Readable;
  /** In bytes; undefined where it is not known before the end. */
  readonly length: number | undefined;
  /** All of it is in memory already: it comes as fast as it is read, and to hold it takes nothing more. */
  readonly isHeld?: boolean;
}

/** The answer to a {@link GatewayRequest}. Names of headers are in lower case. */
export interface GatewayResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | StreamBody | undefined;
}

/** An answer that is there from its first byte to its last. */
export interface WholeResponse extends GatewayResponse {
  readonly body: string | Uint8Array | undefined;
}
