import { setImmediate } from 'node:timers/promises';
import type { GraphQLSchema } from 'graphql';
import type { buildConnector } from 'undici';
import type { CredentialVault } from '../contract/credential-vault.ts';
import { type Deviations, NO_DEVIATIONS } from '../contract/deviations.ts';
import { askerOf, type CallContext } from '../contract/exchange.ts';
import type { GatewayError } from '../contract/gateway-error.ts';
import type { Log } from '../contract/log.ts';
import { type ClientTls, tlsOptions } from '../contract/source-credential.ts';
import type { ChangeKeys } from '../core/change-keys.ts';
import { madeOnce } from '../model/maps.ts';
import type { Operation } from '../model/operation.ts';
import type { Finding } from '../openapi/document/finding.ts';
import { type Project, type ProjectSource, suppliedBy } from '../sources/project-source.ts';
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
import type { Reuse } from '../upstream/kept/reuse.ts';
import { Meters } from '../upstream/meters/meter.ts';
import { type Lenience, lenienceOf } from '../upstream/reading/value-reader.ts';
import { fieldFinder, type OperationField } from './operation-field.ts';
import { openMeshServices, readSchema } from './schema/load-schema.ts';
import { type FieldTarget, wrapRootFields } from './schema/root-fields.ts';
import type { WrittenSource } from './written-sources.ts';

export interface MeshOptions {
  readonly project: Project;
  readonly log: Log;
  /** Counts values that do not match their documents. */
  readonly deviations?: Deviations;
  readonly limits?: Partial<UpstreamLimits>;
  /** Bytes for detecting unchanged data; 0 disables it. */
  readonly memorySize?: number;
  /** Creates the connections to a source's upstream; undefined allows any address. */
  readonly connectorOf?: (
    source: ProjectSource,
    timeout: number,
    tls: ClientTls,
    /** True if another server of the document is called, not the endpoint. */
    isForeign: boolean,
  ) => buildConnector.connector | undefined;
  /** The store of credentials; undefined without accounts. */
  readonly vault?: CredentialVault | undefined;
  /** The error for calls of a source; undefined if it may be called. */
  readonly refusalOf?: ((source: string) => GatewayError | undefined) | undefined;
  /** Makes the keys of changes differ by user. */
  readonly changeKeys?: ChangeKeys | undefined;
  /** Keeps calls to the limits of the upstreams, also across meshes. */
  readonly meters?: Meters | undefined;
  /** Uses answers again where the operator allows it, also across meshes. */
  readonly reuse?: Reuse | undefined;
}

interface OperationPlace {
  readonly source: string;
  readonly pointer: string;
}

/** The upstreams of a project, each with its own GraphQL schema. */
export interface GatewayMesh {
  /** The schemas of the sources with operations. */
  readonly schemas: readonly GraphQLSchema[];
  /** The field of an operation; throws for an unknown one. */
  readonly fieldOf: (operation: Operation) => OperationField;
  /** The parts of the documents that are not served, with reasons. */
  readonly report: readonly Finding[];
  /** The operations of the documents without a field; they are reported. */
  readonly leftOut: readonly OperationPlace[];
  /** The conversion of values that do not match a source's document; undefined if they are errors. */
  lenienceOf(source: string | undefined): Lenience | undefined;
  /** The log for failures of upstreams. */
  readonly log: Log;
  /** The server of an operation; undefined for an unknown source. */
  targetOf(operation: Operation): FieldTarget | undefined;
  /** The upstream of a source; undefined for an unknown name. */
  upstreamOf(source: string): MeshUpstream | undefined;
  /** Accepts no more calls and lets running ones finish, after a newer mesh has taken over. */
  destroy(): Promise<void>;
}

/** The upstream of a source. */
interface MeshUpstream {
  readonly access: UpstreamAccess;
  readonly source: ProjectSource;
  /** By a number of calls of an operation, the milliseconds in which the limits of the upstream allow them. */
  forecast(operation: Operation, call: CallContext): Promise<(calls: number) => number>;
}

const DEFAULT_MEMORY_SIZE = 64 * 1024 * 1024;

/** Opens the mesh of prepared sources. Other work runs between the steps. */
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

/** A failed connection is reported before the deadline of the call. */
function withinDeadline(limits: UpstreamLimits): UpstreamLimits {
  return { ...limits, connectTimeout: Math.min(limits.connectTimeout, limits.deadline / 2) };
}

interface Upstream extends MeshUpstream, FieldTarget {
  readonly clients: readonly UpstreamClient[];
  readonly access: ClosableAccess;
  /** The targets of operations with servers of their own, by field name. */
  readonly targets: ReadonlyMap<string, FieldTarget>;
}

function openUpstream(
  source: ProjectSource,
  written: WrittenSource | undefined,
  memory: UpstreamMemory,
  limits: UpstreamLimits,
  {
    log,
    connectorOf,
    vault = CLOSED_VAULT,
    changeKeys,
    refusalOf,
    meters = new Meters(),
    reuse,
  }: MeshOptions,
): Upstream {
  const { name, endpoint } = source;
  const certificate = source.access?.certificate;
  const tls = certificate === undefined ? {} : tlsOptions(certificate);
  const connector = connectorOf?.(source, limits.connectTimeout, tls, false);
  const { origin } = new URL(endpoint);
  const client = createUpstreamClient({ name, origin, limits, log, connector, tls, meters });
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
  const shared = { memory, bodySize, changeKeys, reuse };
  const data = createUpstreamData({ ...shared, source: `${name} ${origin}`, access, headers });
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
    const connector = connectorOf?.(source, limits.connectTimeout, {}, true);
    const other = createUpstreamClient({ name, origin: otherOrigin, limits, log, connector, meters });
    const access = switched(openAccess(other));
    const own = { access, headers: {}, source: `${name} ${otherOrigin}` };
    return { client: other, data: createUpstreamData({ ...shared, ...own }) };
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
    async forecast({ id, rate }, call) {
      const meter = meters.of(origin, (await access.for(call)).owner);
      const metered = { operation: `${name}.Query.${id}`, asker: askerOf(call), isBulk: true, rate };
      return (calls) => meter.forecast(metered, calls);
    },
  };
}

function upstreamNamed(name: string, upstreams: readonly Upstream[]): Upstream {
  const found = upstreams.find(({ source }) => source.name === name);
  if (found === undefined) throw new Error(`There is no upstream for ${name}`);
  return found;
}
