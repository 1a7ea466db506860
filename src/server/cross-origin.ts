import type { IncomingMessage } from 'node:http';
import type { GatewayRequest, GatewayResponse } from '../contract/exchange.ts';
import { GatewayError } from '../contract/gateway-error.ts';

/** Lets pages of other origins use a route (the CORS protocol of the Fetch Standard). */
export interface CrossOrigin {
  /** The answer to what a browser asks before it sends a page's request; undefined where it asks nothing we grant. */
  preflight(request: GatewayRequest): GatewayResponse | undefined;
  /** The answer with the header fields by which a browser shows it to the page. */
  share(answer: GatewayResponse, request: Pick<GatewayRequest, 'headers'>): GatewayResponse;
}

/** Nobody but pages of our own origin. */
export const NO_CROSS_ORIGIN: CrossOrigin = { preflight: () => undefined, share: (answer) => answer };

/**
 * Admits pages of those origins, or of all for `*`. Only listed ones may have what a browser adds by itself;
 * whether a cookie from there is good for anything is for those to say who take cookies.
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
      const isAsked = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
      if (grant === undefined || !isAsked) return undefined;
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

/** What pages may read beside what any page may (Fetch Standard, 2.2.2). */
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

/** Clients have header fields of their own: a page that may send a request may send any. */
function allowedHeaders(asked: string | undefined): Fields {
  return asked !== undefined && HEADER_NAMES.test(asked) ? { 'access-control-allow-headers': asked } : {};
}

const HEADER_NAMES = /^[\w!#$%&'*+.^`|~-]+(?:\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/;

/** Throws Forbidden for what a page that is not to use the gateway makes a browser send. */
export type PageCheck = (request: Pick<IncomingMessage, 'method' | 'headers'>, isShared: boolean) => void;

/** Where credentials say who is asking: they see to it that no page asks in the place of its user. */
export const EVERY_PAGE: PageCheck = () => undefined;

export interface OwnPages {
  /** Undefined where it is an address of this machine. */
  readonly publicUrl: string | undefined;
  /** The origins whose pages may use the routes that are shared with others. */
  readonly corsOrigins: readonly string[];
}

/** The names by which a machine calls itself: nobody can have them lead elsewhere (RFC 6761, 6.3). */
const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Keeps a gateway that lets everybody in from pages of other origins, which the user's browser brings within reach
 * of it.
 *
 * The Host field must name this machine or the public URL, so that no name that somebody has had lead here makes a
 * page's origin the gateway's own. Whoever changes something and names an origin must name that of the address he
 * asks, or one that may share the route; programs name none.
 */
export function ownPages({ publicUrl, corsOrigins }: OwnPages): PageCheck {
  const known = publicUrl === undefined ? undefined : new URL(publicUrl);
  const names = new Set([...LOOPBACK_NAMES, ...(known === undefined ? [] : [known.hostname])]);
  const origins = known === undefined ? [] : [known.origin];
  return ({ method = '', headers: { host, origin } }, isShared) => {
    if (host !== undefined && !names.has(hostname(host))) {
      throw refused('Host', 'The Host header must name this service.');
    }
    if (SAFE.has(method) || origin === undefined) return;
    const isOwn = origins.includes(origin) || (host !== undefined && origin === `http://${host}`);
    if (isOwn || (isShared && corsOrigins.includes(origin))) return;
    throw refused('Origin', 'The Origin header must name this service.');
  };
}

function hostname(host: string): string {
  return host.replace(/:\d*$/, '').toLowerCase();
}

function refused(target: string, message: string): GatewayError {
  return new GatewayError('Forbidden', message, { target });
}
