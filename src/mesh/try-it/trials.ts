import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { buildConnector } from 'undici';
import type { CallContext } from '../../contract/exchange.ts';
import type { Log } from '../../contract/log.ts';
import type { ProjectSource } from '../../sources/project-source.ts';
import { createUpstreamClient, type UpstreamClient } from '../../upstream/client/upstream-client.ts';
import { DEFAULT_UPSTREAM_LIMITS, type UpstreamLimits } from '../../upstream/client/upstream-limits.ts';
import type { AuthorizedClient } from '../../upstream/credentials/upstream-access.ts';
import { withQuery } from '../../upstream/exchange/upstream-exchange.ts';
import { plainBody } from '../../upstream/reading/read-answer.ts';
import type { GatewayMesh } from '../mesh.ts';

/** Tries operations of APIs, in a mesh or not. */
export interface Trials {
  /** Throws a GatewayError if the upstream fails. */
  send(api: TrialApi, request: TrialRequest, call: CallContext): Promise<TrialAnswer>;
  close(): Promise<void>;
}

interface TrialApi {
  readonly name: string;
  readonly serviceUrl: string;
  /** The mesh that contains the API, whose client is then used. */
  readonly mesh: Pick<GatewayMesh, 'upstreamOf'> | undefined;
}

export interface TrialsOptions {
  readonly limits: Partial<UpstreamLimits>;
  readonly log: Log;
  /** Creates connections to an API outside of the mesh, whose address is not trusted. */
  readonly connector: (timeout: number) => buildConnector.connector;
  /** The names with which the gateway's client identifies itself. */
  readonly names: { readonly applicationName: string; readonly gatewayApiName: string };
}

/** Clients are cached, so that the circuit breaker works here, too. */
const MOST_CLIENTS = 32;

export function createTrials({ limits: given, log, connector, names }: TrialsOptions): Trials {
  const limits: UpstreamLimits = { ...DEFAULT_UPSTREAM_LIMITS, ...given };
  const operationHeaders = {
    'x-application-name': names.applicationName,
    'x-gateway-api-name': names.gatewayApiName,
  };
  const clients = new LRUCache<string, UpstreamClient>({
    max: MOST_CLIENTS,
    dispose: (client) => void client.close(),
  });
  const clientOf = (name: string, origin: string): UpstreamClient => {
    const key = `${name} ${origin}`;
    const client =
      clients.get(key) ??
      createUpstreamClient({ name, origin, limits, log, connector: connector(limits.connectTimeout) });
    clients.set(key, client);
    return client;
  };
  return {
    async send({ name, serviceUrl, mesh }, request, call) {
      const given = { bodySize: limits.bodySize, signal: call.signal };
      const upstream = mesh?.upstreamOf(name);
      if (upstream !== undefined) {
        return tryOperation(await upstream.access.for(call), upstream.source, request, given);
      }
      const client = clientOf(name, new URL(serviceUrl).origin);
      return tryOperation(client, { endpoint: serviceUrl, operationHeaders }, request, given);
    },
    async close() {
      await Promise.all([...clients.values()].map((client) => client.close()));
    },
  };
}

/** A request below the URL of an API. */
interface TrialRequest {
  readonly method: string;
  /** With its query, percent-encoded. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

interface TrialAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Without its content coding. */
  readonly body: Uint8Array;
}

/** The settings for calling an API. */
export type TriedApi = Pick<ProjectSource, 'endpoint' | 'operationHeaders' | 'queryParams'>;

/**
 * Sends one request to an API like the gateway: with its identifiers and credentials, which take precedence,
 * and within its limits. Throws a GatewayError if the upstream fails.
 */
async function tryOperation(
  client: Pick<AuthorizedClient, 'send'>,
  { endpoint, operationHeaders, queryParams }: TriedApi,
  { method, path, headers, body }: TrialRequest,
  { bodySize, signal }: { readonly bodySize: number; readonly signal: AbortSignal },
): Promise<TrialAnswer> {
  const all = { ...headers, 'accept-encoding': 'identity', 'user-agent': 'duogate', ...operationHeaders };
  const answer = await client.send(
    {
      operation: 'a trial',
      method,
      path: withQuery(
        new URL(endpoint).pathname.replace(/\/+$/, '') + path,
        String(new URLSearchParams(queryParams)),
      ),
      headers: Object.entries(all).flat(),
      body,
    },
    signal,
  );
  const coding = answer.headers['content-encoding'];
  return {
    status: answer.status,
    headers: answer.headers,
    body: method === 'HEAD' ? answer.body : await plainBody(coding, answer.body, bodySize),
  };
}
