import { readChoice, readNumber, type Variables } from './variables.ts';

export interface UpstreamConnections {
  /** Time that an idle connection stays open, unless the upstream announces less. */
  readonly idleMs: number;
  /** The age at which a connection is replaced, with a new look-up of the name. */
  readonly ageMs: number;
  /** True if HTTP/2 is offered to upstreams with TLS. */
  readonly http2: boolean;
  /** Undefined if upstreams are called directly. */
  readonly proxy: ProxySettings | undefined;
}

/** Proxies by the upstream's scheme: URLs that may contain credentials, or '' without a proxy. */
interface ProxySettings {
  readonly http: string;
  readonly https: string;
  /** Hosts that are called directly, separated by commas, as in `NO_PROXY`. */
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

/** The message never quotes the value, because it may contain a password. */
function readProxyUrl(variables: Variables, name: 'HTTP_PROXY' | 'HTTPS_PROXY'): string {
  const text = customary(variables, name);
  if (text === undefined) return '';
  if (URL.canParse(text) && /^(?:https?|socks5?):\/\//i.test(text)) return text;
  variables.reject(`${name} must be the URL of a proxy, with http, https or socks5`);
  return '';
}

/** Other programs use these variables in lower case. */
function customary(variables: Variables, name: keyof typeof IN_LOWER_CASE): string | undefined {
  return variables.get(name) ?? variables.get(IN_LOWER_CASE[name]);
}

const IN_LOWER_CASE = { HTTP_PROXY: 'http_proxy', HTTPS_PROXY: 'https_proxy', NO_PROXY: 'no_proxy' } as const;
