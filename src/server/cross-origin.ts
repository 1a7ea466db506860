import type { IncomingMessage } from 'node:http';
import type { GatewayRequest, GatewayResponse } from '../contract/exchange.ts';
import { GatewayError } from '../contract/gateway-error.ts';

/** The CORS protocol of the Fetch Standard for a route. */
export interface CrossOrigin {
  /** The response to a preflight request; undefined if the request is not one, or if it is not allowed. */
  preflight(request: GatewayRequest): GatewayResponse | undefined;
  /** Adds the header fields that let a browser show the response to the page. */
  share(answer: GatewayResponse, request: Pick<GatewayRequest, 'headers'>): GatewayResponse;
}

/** Allows only pages of the gateway's own origin. */
export const NO_CROSS_ORIGIN: CrossOrigin = { preflight: () => undefined, share: (answer) => answer };

/**
 * Allows pages of these origins, or of all for `*`. Only listed origins may send credentials that browsers
 * add; the routes decide whether to accept cookies.
 */
export function crossOriginFor(origins: readonly string[]): CrossOrigin {
  if (origins.length === 0) return NO_CROSS_ORIGIN;
  const isOpen = origins.includes('*');
  const grantTo = ({ headers: { origin } }: Pick<GatewayRequest, 'headers'>): Fields | undefined => {
    if (origin === undefined) return undefined;
    if (isOpen) return { 'access-control-allow-origin': '*' };
    if (!origins.includes(origin)) return undefined;
    return { 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' };
  };
  return {
    preflight(request) {
      const { method, headers } = request;
      const grant = grantTo(request);
      const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
      if (grant === undefined || !isPreflight) return undefined;
      const fields = { ...grant, ...allowedHeaders(headers['access-control-request-headers']), ...PREFLIGHT };
      return { status: 204, headers: fields, body: undefined };
    },
    share(answer, request) {
      const grant = grantTo(request);
      const shown = grant === undefined ? {} : { ...grant, 'access-control-expose-headers': EXPOSED };
      const vary = [answer.headers['vary'], isOpen ? undefined : 'origin'].filter(
        (name) => name !== undefined,
      );
      const varying = vary.length === 0 ? {} : { vary: vary.join(', ') };
      return { ...answer, headers: { ...answer.headers, ...varying, ...shown } };
    },
  };
}

type Fields = Readonly<Record<string, string>>;

const PREFLIGHT: Fields = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
  'access-control-max-age': '600',
  vary: 'origin, access-control-request-method, access-control-request-headers',
};

/** Response headers that pages may read in addition to the default ones (Fetch Standard, 2.2.2). */
const EXPOSED = [
  'Accept-Ranges',
  'Allow',
  'AsyncResult',
  'Content-Range',
  'ETag',
  'Location',
  'OData-EntityId',
  'OData-Version',
  'Preference-Applied',
  'Retry-After',
  'X-Request-Id',
].join(', ');

/** All requested header fields, because clients have fields of their own. */
function allowedHeaders(requested: string | undefined): Fields {
  return requested !== undefined && HEADER_NAMES.test(requested)
    ? { 'access-control-allow-headers': requested }
    : {};
}

const HEADER_NAMES = /^[\w!#$%&'*+.^`|~-]+(?:\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/;

/** Throws Forbidden for a request that an unauthorized page makes a browser send. */
export type PageCheck = (request: Pick<IncomingMessage, 'method' | 'headers'>, isShared: boolean) => void;

/** For gateways with access control, where the authenticator checks origins. */
export const EVERY_PAGE: PageCheck = () => undefined;

export interface OwnPages {
  /** Undefined for a loopback address. */
  readonly publicUrl: string | undefined;
  /** The origins whose pages may use the routes that allow cross-origin requests. */
  readonly corsOrigins: readonly string[];
}

/** The names of the machine itself, which DNS cannot redirect (RFC 6761, 6.3). */
const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Protects a gateway without access control from pages of other origins in the user's browser.
 *
 * The Host field must name this machine or the public URL, which rules out DNS rebinding. An unsafe request
 * with an Origin must name the gateway's own origin or an allowed one; programs send no Origin.
 */
export function ownPages({ publicUrl, corsOrigins }: OwnPages): PageCheck {
  const known = publicUrl === undefined ? undefined : new URL(publicUrl);
  const names = new Set([...LOOPBACK_NAMES, ...(known === undefined ? [] : [known.hostname])]);
  const origins = known === undefined ? [] : [known.origin];
  return ({ method = '', headers: { host, origin } }, isShared) => {
    if (host !== undefined && !names.has(host.replace(/:\d*$/, '').toLowerCase())) {
      throw refused('Host', 'The Host header must name this service.');
    }
    if (SAFE.has(method) || origin === undefined) return;
    const isOwn = origins.includes(origin) || (host !== undefined && origin === `http://${host}`);
    if (isOwn || (isShared && corsOrigins.includes(origin))) return;
    throw refused('Origin', 'The Origin header must name this service.');
  };
}

function refused(target: string, message: string): GatewayError {
  return new GatewayError('Forbidden', message, { target });
}
