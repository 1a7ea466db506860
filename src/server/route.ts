import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CallContext, GatewayRequest, GatewayResponse } from '../contract/exchange.ts';
import type { GatewayError } from '../contract/gateway-error.ts';

/**
 * The common properties of routes. A route serves its path and all paths below; the longest matching path
 * wins.
 */
interface Mounted {
  /** With a leading slash and no trailing one: `/odata`. */
  readonly path: string;
  /** Longer bodies are rejected with 413. The target is that of {@link GatewayRequest}. */
  readonly maxBodyBytes?: number | ((target: string) => number);
  /** The variable of this limit, which the 413 names. */
  readonly bodyVariable?: string;
  /**
   * Formats an error in the route's protocol, including errors that the server found before it called the
   * route; the request then has no body and no principal.
   */
  readonly errorResponse?: (error: GatewayError, request: GatewayRequest) => GatewayResponse;
  /** The alternative for requests with long URLs, which the 414 names. */
  readonly longRequests?: string;
  /** Header fields of every response, in lower case; they replace the server's own. */
  readonly headers?: Readonly<Record<string, string>>;
  /** True for routes without access control, which ignore credentials. */
  readonly open?: boolean;
  /** True if pages of other origins may use the route, within the server's settings. */
  readonly crossOrigin?: boolean;
}

/** A route that returns plain records. HEAD requests reach it as GET, and the server omits the body. */
export interface HandlerRoute extends Mounted {
  readonly handler: (request: GatewayRequest) => GatewayResponse | Promise<GatewayResponse>;
  /**
   * Whether a body that exceeds `maxBodyBytes` or has no announced length is passed as a stream. The request
   * has no `body` then.
   */
  readonly takesUpload?: (request: GatewayRequest) => boolean;
  /** Maximum length of such a stream. */
  readonly maxUploadBytes?: number;
  readonly uploadVariable?: string;
}

/**
 * A route that writes to the response itself, like Node libraries do. The request's `url` is the whole
 * target.
 */
export interface ListenerRoute extends Mounted {
  readonly listener: (
    request: IncomingMessage,
    response: ServerResponse,
    call: CallContext,
  ) => void | Promise<void>;
}

export type Route = HandlerRoute | ListenerRoute;
