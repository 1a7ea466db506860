import { LRUCache } from 'lru-cache';
import type { buildConnector } from 'undici';
import type { CallContext } from '../../contract/exchange.ts';
import type { Log } from '../../contract/log.ts';
import type { GatewayMesh } from '../mesh.ts';
import { createUpstreamClient, type UpstreamClient } from '../upstream/upstream-client.ts';
import { DEFAULT_UPSTREAM_LIMITS, type UpstreamLimits } from '../upstream/upstream-limits.ts';
import { type TrialAnswer, type TrialRequest, tryOperation } from './try-operation.ts';

/** Tries operations of APIs, whether they are part of a mesh or not. */
export interface Trials {
  /** Fails with a GatewayError where the upstream does. */
  send(api: TrialApi, request: TrialRequest, call: CallContext): Promise<TrialAnswer>;
  close(): Promise<void>;
}

interface TrialApi {
  readonly name: string;
  readonly serviceUrl: string;
  /** The mesh that it is a part of: it is then called as it is for everybody else. */
  readonly mesh: Pick<GatewayMesh, 'upstreamOf'> | undefined;
}

export interface TrialsOptions {
  readonly limits: Partial<UpstreamLimits>;
  readonly log: Log;
  /** Makes the connections to an API that is in no mesh: where it is, nobody has vouched for. */
  readonly connector: (timeout: number) => buildConnector.connector;
  /** By these the gateway's client identifies itself. */
  readonly names: { readonly applicationName: string; readonly gatewayApiName: string };
}

/** Clients are kept, so that an API that keeps failing is given a pause here, too. */
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
