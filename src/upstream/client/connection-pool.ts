import { type buildConnector, type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import type { ClientTls } from '../../contract/source-credential.ts';
import type { UpstreamLimits } from './upstream-limits.ts';

interface ConnectionOptions {
  readonly origin: string;
  readonly limits: UpstreamLimits;
  readonly connector?: buildConnector.connector | undefined;
  readonly tls?: ClientTls;
}

/**
 * The connections to one upstream: at most `limits.connections`, with one call at a time each.
 *
 * A pool of new connections takes the place of one that is as old as a connection may be; calls in progress end on the
 * old ones. The pool's own ageing (`clientTtl`) counts the connections that it closes, and leaves a call waiting for
 * one of them if nothing else is in progress.
 */
export class ConnectionPool {
  readonly #options: ConnectionOptions;
  readonly #closing = new Set<Promise<void>>();
  #pool: Dispatcher;
  #since = Date.now();

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#pool = openPool(options);
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    if (Date.now() - this.#since > this.#options.limits.connecting.ageMs && !isClosed(this.#pool)) {
      this.#retire(this.#pool);
      this.#pool = openPool(this.#options);
      this.#since = Date.now();
    }
    this.#pool.dispatch(options, handler);
  }

  async close(): Promise<void> {
    if (!isClosed(this.#pool)) this.#retire(this.#pool);
    await Promise.all(this.#closing);
  }

  #retire(pool: Dispatcher): void {
    const closing = pool.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}

function isClosed(pool: Dispatcher & { readonly closed?: boolean; readonly destroyed?: boolean }): boolean {
  return pool.closed === true || pool.destroyed === true;
}

/** A machine does not ask a proxy for itself. */
const OWN_HOSTS = 'localhost,127.0.0.1,::1';

function openPool({ origin, limits, connector, tls }: ConnectionOptions): Dispatcher {
  const { idleMs, http2, proxy } = limits.connecting;
  const common = {
    connections: limits.connections,
    pipelining: 1,
    keepAliveTimeout: idleMs,
    headersTimeout: limits.headersTimeout,
    bodyTimeout: limits.idleBodyTimeout,
  };
  const connect = { timeout: limits.connectTimeout, allowH2: http2, ...tls };
  // A proxy resolves names itself: an API whose addresses are guarded is called directly.
  if (proxy === undefined || connector !== undefined) {
    return new Pool(origin, { ...common, allowH2: http2, connect: connector ?? connect });
  }
  const { http: httpProxy, https: httpsProxy, none } = proxy;
  const noProxy = none === '' ? OWN_HOSTS : `${none},${OWN_HOSTS}`;
  return new EnvHttpProxyAgent({ ...common, httpProxy, httpsProxy, noProxy, requestTls: connect, connect });
}
