import { setImmediate } from 'node:timers/promises';
import type { GraphQLSchema } from 'graphql';
import type { buildConnector } from 'undici';
import type { CredentialVault } from '../contract/credential-vault.ts';
import { type Deviations, NO_DEVIATIONS } from '../contract/deviations.ts';
import type { GatewayError } from '../contract/gateway-error.ts';
import type { Log } from '../contract/log.ts';
import type { ChangeKeys } from '../core/change-keys.ts';
import { madeOnce } from '../model/maps.ts';
import type { Operation } from '../model/operation.ts';
import type { Finding } from '../openapi/document/finding.ts';
import {
  type ClientTls,
  type Project,
  type ProjectSource,
  suppliedBy,
  tlsOptions,
} from '../sources/project-source.ts';
import { createUpstreamMemory, type UpstreamMemory } from '../upstream/calls/mesh-context.ts';
import { createUpstreamData, type UpstreamData } from '../upstream/calls/upstream-data.ts';
import { createUpstreamClient, type UpstreamClient } from '../upstream/client/upstream-client.ts';
import { DEFAULT_UPSTREAM_LIMITS, type UpstreamLimits } from '../upstream/client/upstream-limits.ts';
import {
  CLOSED_VAULT,
  type ClosableAccess,
  openSourceAccess,
} from '../upstream/credentials/open-source-access.ts';
import { openAccess, type UpstreamAccess } from '../upstream/credentials/upstream-access.ts';
import { type Lenience, lenienceOf } from '../upstream/reading/value-reader.ts';
import { fieldFinder, type OperationField } from './operation-field.ts';
import { openMeshServices, readSchema } from './schema/load-schema.ts';
import { type FieldTarget, wrapRootFields } from './schema/root-fields.ts';
import type { WrittenSource } from './written-sources.ts';

export interface MeshOptions {
  readonly project: Project;
  readonly log: Log;
  /** Where values that are not as their documents say are counted. */
  readonly deviations?: Deviations;
  readonly limits?: Partial<UpstreamLimits>;
  /** Bytes for recognising data that has not changed; 0 switches that off. */
  readonly memorySize?: number;
  /** Makes the connections to a source's upstream; undefined where it may be connected to wherever it is. */
  readonly connectorOf?: (
    source: ProjectSource,
    timeout: number,
    tls: ClientTls,
    /** Another server of the source's document is called, and not the endpoint. */
    isForeign: boolean,
  ) => buildConnector.connector | undefined;
  /** Where credentials are kept; none can be had where this is not given. */
  readonly vault?: CredentialVault | undefined;
  /** The error for calls of a source; undefined if it may be called. */
  readonly refusalOf?: ((source: string) => GatewayError | undefined) | undefined;
  /** Makes the keys of changes differ by user. */
  readonly changeKeys?: ChangeKeys | undefined;
}

/** An operation of a source's document, by its JSON pointer. */
interface OperationPlace {
  readonly source: string;
  readonly pointer: string;
}

/** The upstreams of a project, each with a GraphQL schema of its own. */
export interface GatewayMesh {
  /** Those of the sources that have operations. */
  readonly schemas: readonly GraphQLSchema[];
  /** The field of an operation; fails where there is none. */
  readonly fieldOf: (operation: Operation) => OperationField;
  /** What of the documents it does not serve, and why. */
  readonly report: readonly Finding[];
  /** The operations of the documents that it has no field for; they are reported. */
  readonly leftOut: readonly OperationPlace[];
  /** How values of a source are read that are not what its document says; undefined where they are an error. */
  lenienceOf(source: string | undefined): Lenience | undefined;
  /** Where failures of the upstreams are reported. */
  readonly log: Log;
  /** The server that an operation is called at; undefined if its source is unknown. */
  targetOf(operation: Operation): FieldTarget | undefined;
  /** What calls the upstream of a source, and how; undefined where there is none of that name. */
  upstreamOf(source: string): MeshUpstream | undefined;
  /** Takes no more calls and lets those under way come to their end: a newer mesh may have taken over. */
  destroy(): Promise<void>;
}

/** What a source of the mesh calls. */
interface MeshUpstream {
  readonly access: UpstreamAccess;
  readonly source: ProjectSource;
}

const DEFAULT_MEMORY_SIZE = 64 * 1024 * 1024;

/** The mesh of what has been made of its sources before. Between one step and the next, others get their turn. */
export async function openGatewayMesh(
  options: MeshOptions,
  sources: readonly WrittenSource[],
): Promise<GatewayMesh> {
  const { project, log, deviations = NO_DEVIATIONS } = options;
  const limits = withinDeadline({ ...DEFAULT_UPSTREAM_LIMITS, ...options.limits });
  const memory = createUpstreamMemory(options.memorySize ?? DEFAULT_MEMORY_SIZE);
  const upstreams = project.sources.map((source) => {
    const written = sources.find(({ name }) => name === source.name);
    return openUpstream(source, written, memory, limits, options);
  });
  const services = openMeshServices(log);
  const lenient = sources.filter(({ strict }) => !strict);
  const leniences = new Map(lenient.map(({ name }) => [name, lenienceOf(name, deviations)]));
  const schemas: GraphQLSchema[] = [];
  for (const { name, schema: written } of sources) {
    if (written === undefined) continue;
    const upstream = upstreamNamed(name, upstreams);
    const schema = await readSchema(written, { name, endpoint: upstream.source.endpoint }, services);
    await setImmediate();
    const targetOf = (field: string) => upstream.targets.get(field) ?? upstream;
    schemas.push(wrapRootFields(schema, { source: name, targetOf, log }));
    await setImmediate();
  }
  return {
    schemas,
    fieldOf: fieldFinder(schemas),
    report: sources.flatMap(({ report }) => report),
    leftOut: sources.flatMap(({ name, leftOut }) => leftOut.map((pointer) => ({ source: name, pointer }))),
    lenienceOf: (name) => leniences.get(name ?? ''),
    log,
    targetOf({ source = '', id }) {
      const upstream = upstreams.find((each) => each.source.name === source);
      return upstream?.targets.get(id) ?? upstream;
    },
    upstreamOf: (name) => upstreams.find(({ source }) => source.name === name),
    async destroy() {
      await Promise.all(
        upstreams.flatMap(({ clients, access }) => [
          ...clients.map((client) => client.close()),
          access.close(),
        ]),
      );
    },
  };
}

/** A connection that cannot be made shows before the deadline ends a call. */
function withinDeadline(limits: UpstreamLimits): UpstreamLimits {
  return { ...limits, connectTimeout: Math.min(limits.connectTimeout, limits.deadline / 2) };
}

interface Upstream extends MeshUpstream, FieldTarget {
  readonly clients: readonly UpstreamClient[];
  readonly access: ClosableAccess;
  /** By the names of their fields, the targets of operations that are not called at the endpoint. */
  readonly targets: ReadonlyMap<string, FieldTarget>;
}

function openUpstream(
  source: ProjectSource,
  written: WrittenSource | undefined,
  memory: UpstreamMemory,
  limits: UpstreamLimits,
  { log, connectorOf, vault = CLOSED_VAULT, changeKeys, refusalOf }: MeshOptions,
): Upstream {
  const { name, endpoint } = source;
  const certificate = source.access?.certificate;
  const tls = certificate === undefined ? {} : tlsOptions(certificate);
  const connector = connectorOf?.(source, limits.connectTimeout, tls, false);
  const { origin } = new URL(endpoint);
  const client = createUpstreamClient({ name, origin, limits, log, connector, tls });
  const switched = (access: UpstreamAccess): UpstreamAccess => ({
    for(call) {
      const refusal = refusalOf?.(name);
      if (refusal !== undefined) throw refusal;
      return access.for(call);
    },
  });
  const opened = openSourceAccess({ source, target: written?.tokenTarget, client, limits, log, vault });
  const access = { ...switched(opened), close: () => opened.close() };
  const { bodySize } = limits;
  const { operationHeaders: headers } = source;
  const data = createUpstreamData({ access, memory, headers, bodySize, changeKeys });
  const main: FieldTarget = {
    url: endpoint,
    endpoint,
    data,
    query: new URLSearchParams(source.queryParams).toString(),
    ownParameters: suppliedBy(source).query,
  };
  const foreign = new Map<string, { readonly client: UpstreamClient; readonly data: UpstreamData }>();
  const openForeign = (url: string) => {
    const { origin: otherOrigin } = new URL(url);
    const own = connectorOf?.(source, limits.connectTimeout, {}, true);
    const other = createUpstreamClient({ name, origin: otherOrigin, limits, log, connector: own });
    const access = switched(openAccess(other));
    return { client: other, data: createUpstreamData({ access, memory, headers: {}, bodySize, changeKeys }) };
  };
  const targets = [...(written?.servers ?? [])].map(([field, { url, isForeign }]): [string, FieldTarget] => {
    if (!isForeign) return [field, { ...main, url }];
    const { data: own } = madeOnce(foreign, new URL(url).origin, () => openForeign(url));
    return [field, { url, endpoint, data: own, query: '', ownParameters: new Set() }];
  });
  return {
    ...main,
    source,
    clients: [client, ...[...foreign.values()].map((each) => each.client)],
    access,
    targets: new Map(targets),
  };
}

function upstreamNamed(name: string, upstreams: readonly Upstream[]): Upstream {
  const found = upstreams.find(({ source }) => source.name === name);
  if (found === undefined) throw new Error(`There is no upstream for ${name}`);
  return found;
}
