import { type buildConnector, type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import type { ClientTls } from '../project-reading/tls-options.ts';
import type { UpstreamLimits } from './upstream-limits.ts';

interface ConnectionOptions {
  readonly origin: string;
  readonly limits: UpstreamLimits;
  /** Makes the connections, where not every address may be connected to. */
  readonly connector?: buildConnector.connector | undefined;
  /** What connections that no connector makes have of TLS. */
  readonly tls?: ClientTls;
}

/** A machine does not ask a proxy for itself. */
const OWN_HOSTS = 'localhost,127.0.0.1,::1';

/** The connections to one upstream: at most so many, with one call at a time each. */
export function openConnections({ origin, limits, connector, tls }: ConnectionOptions): Dispatcher {
  const { idleMs, ageMs, http2, proxy } = limits.connecting;
  const common = {
    connections: limits.connections,
    pipelining: 1,
    keepAliveTimeout: idleMs,
    clientTtl: ageMs,
    headersTimeout: limits.headersTimeout,
    bodyTimeout: limits.idleBodyTimeout,
  };
  const connect = { timeout: limits.connectTimeout, allowH2: http2, ...tls };
  // A proxy looks names up by itself: whoever must not be led to any address is called directly.
  if (proxy === undefined || connector !== undefined) {
    return new Pool(origin, { ...common, allowH2: http2, connect: connector ?? connect });
  }
  const { http: httpProxy, https: httpsProxy, none } = proxy;
  const noProxy = none === '' ? OWN_HOSTS : `${none},${OWN_HOSTS}`;
  return new EnvHttpProxyAgent({ ...common, httpProxy, httpsProxy, noProxy, requestTls: connect, connect });
}
