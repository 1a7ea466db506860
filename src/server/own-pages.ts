import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../contract/gateway-error.ts';

/** Throws Forbidden for what a page that is not to use the gateway makes a browser send. */
export type PageCheck = (request: Pick<IncomingMessage, 'method' | 'headers'>, isShared: boolean) => void;

/** Where credentials say who is asking: they see to it that no page asks in the place of its user. */
export const EVERY_PAGE: PageCheck = () => undefined;

export interface OwnPages {
  /** Undefined where it is an address of this machine. */
  readonly publicUrl: string | undefined;
  /** The origins whose pages may use the parts that are shared with others. */
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
 * asks, or one that may share the part; programs name none.
 */
export function ownPages({ publicUrl, corsOrigins }: OwnPages): PageCheck {
  const known = publicUrl === undefined ? undefined : new URL(publicUrl);
  const names = new Set([...LOOPBACK_NAMES, ...(known === undefined ? [] : [known.hostname])]);
  const origins = known === undefined ? [] : [known.origin];
  return ({ method = '', headers: { host, origin } }, isShared) => {
    if (host !== undefined && !names.has(hostname(host))) {
      throw refused('Host', 'The Host header must be that of this service.');
    }
    if (SAFE.has(method) || origin === undefined) return;
    const isOwn = origins.includes(origin) || (host !== undefined && origin === `http://${host}`);
    if (isOwn || (isShared && corsOrigins.includes(origin))) return;
    throw refused('Origin', 'The Origin header must be that of this service.');
  };
}

function hostname(host: string): string {
  return host.replace(/:\d*$/, '').toLowerCase();
}

function refused(target: string, message: string): GatewayError {
  return new GatewayError('Forbidden', message, { target });
}
