import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CallContext, GatewayRequest, GatewayResponse } from '../contract/exchange.ts';
import type { GatewayError } from '../contract/gateway-error.ts';

/**
 * What every part of the public surface says about itself. A part serves its path and all below it; where
 * the paths of two routes match, the longer one is meant.
 */
interface Mounted {
  /** The path below which requests come here, with a slash in front and none at the end: `/odata`. */
  readonly path: string;
  /** A longer body is answered with 413. The target is that of {@link GatewayRequest}. */
  readonly maxBodyBytes?: number | ((target: string) => number);
  /** The variable that sets it; the 413 names it. */
  readonly bodyVariable?: string;
  /**
   * Puts an error into the route's protocol, also one that the server found before it called the route: the
   * request then has no body and nobody asks.
   */
  readonly errorResponse?: (error: GatewayError, request: GatewayRequest) => GatewayResponse;
  /** The other way to send a request whose URL would be too long, which the 414 names. */
  readonly longRequests?: string;
  /** Header fields of every answer, in lower case; they replace the server's own. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Serves everybody and does not ask who they are, whatever credential they show. */
  readonly open?: boolean;
  /** Pages of other origins may use it, as far as the server admits them. */
  readonly crossOrigin?: boolean;
}

/** Answers with plain records. It is never told of HEAD: it sees GET, and the server keeps the body back. */
export interface HandlerRoute extends Mounted {
  readonly handler: (request: GatewayRequest) => GatewayResponse | Promise<GatewayResponse>;
  /**
   * Whether a body that is longer than `maxBodyBytes`, or has no announced length, is handed on as it comes. The
   * request has no body then.
   */
  readonly takesUpload?: (request: GatewayRequest) => boolean;
  /** How long such a body may be. */
  readonly maxUploadBytes?: number;
  /** The variable that sets it. */
  readonly uploadVariable?: string;
}

/** Speaks to the socket itself, as libraries for Node do. Its request has the whole target as `url`. */
export interface ListenerRoute extends Mounted {
  readonly listener: (
    request: IncomingMessage,
    response: ServerResponse,
    call: CallContext,
  ) => void | Promise<void>;
}

export type Route = HandlerRoute | ListenerRoute;
