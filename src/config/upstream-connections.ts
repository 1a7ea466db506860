import { readChoice, readNumber, type Variables } from './variables.ts';

/** How connections to upstreams are made, and how long they are kept. */
export interface UpstreamConnections {
  /** How long a connection that nobody uses stays open, unless the upstream says less. */
  readonly idleMs: number;
  /** After this time a connection is replaced by a new one, for which the name is looked up again. */
  readonly ageMs: number;
  /** HTTP/2 is offered to upstreams with TLS. */
  readonly http2: boolean;
  /** Undefined where upstreams are called directly. */
  readonly proxy: ProxySettings | undefined;
}

/** Proxies by the scheme of the upstream: URLs, which may hold a user and a password; '' for none. */
interface ProxySettings {
  readonly http: string;
  readonly https: string;
  /** Hosts that are called directly, separated by commas, as `NO_PROXY` names them. */
  readonly none: string;
}

export function readUpstreamConnections(variables: Variables): UpstreamConnections {
  return {
    idleMs: readNumber(variables, 'UPSTREAM_IDLE_MS'),
    ageMs: readNumber(variables, 'UPSTREAM_CONNECTION_MS'),
    http2: readChoice(variables, 'UPSTREAM_HTTP2') === 'on',
    proxy: readProxy(variables),
  };
}

function readProxy(variables: Variables): ProxySettings | undefined {
  const http = readProxyUrl(variables, 'HTTP_PROXY');
  const https = readProxyUrl(variables, 'HTTPS_PROXY');
  const none = customary(variables, 'NO_PROXY') ?? '';
  return http === '' && https === '' ? undefined : { http, https, none };
}

/** The message repeats none of it, because it may hold a password. */
function readProxyUrl(variables: Variables, name: 'HTTP_PROXY' | 'HTTPS_PROXY'): string {
  const text = customary(variables, name);
  if (text === undefined) return '';
  if (URL.canParse(text) && /^(?:https?|socks5?):\/\//i.test(text)) return text;
  variables.reject(`${name} must be the URL of a proxy, with http, https or socks5`);
  return '';
}

/** Other programs read these variables in lower case, too. */
function customary(variables: Variables, name: keyof typeof IN_LOWER_CASE): string | undefined {
  return variables.get(name) ?? variables.get(IN_LOWER_CASE[name]);
}

const IN_LOWER_CASE = { HTTP_PROXY: 'http_proxy', HTTPS_PROXY: 'https_proxy', NO_PROXY: 'no_proxy' } as const;
