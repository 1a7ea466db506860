import { useGraphQlJit } from '@envelop/graphql-jit';
import BareMerger from '@graphql-mesh/merger-bare';
import { getMesh, type MeshInstance } from '@graphql-mesh/runtime';
import { InMemoryStoreStorageAdapter, MeshStore } from '@graphql-mesh/store';
import type { KeyValueCache, Logger, MeshFetch, MeshPubSub } from '@graphql-mesh/types';
import { PubSub } from '@graphql-mesh/utils';
import { type DocumentNode, type ExecutionResult, type GraphQLSchema, isScalarType } from 'graphql';
import type { buildConnector } from 'undici';
import type { CredentialVault } from '../contract/credential-vault.ts';
import { type Deviations, NO_DEVIATIONS } from '../contract/deviations.ts';
import type { Log } from '../contract/log.ts';
import { documentSource } from '../model/from-openapi/document/document-source.ts';
import type { Finding } from '../model/from-openapi/document/finding.ts';
import { namedOperations } from '../model/from-openapi/operation-names.ts';
import { CLOSED_VAULT } from './credentials/closed-vault.ts';
import { type ClosableAccess, openSourceAccess } from './credentials/open-source-access.ts';
import { type ClientTls, tlsOptions } from './credentials/tls-options.ts';
import type { UpstreamAccess } from './credentials/upstream-access.ts';
import type { MeshContext } from './mesh-context.ts';
import { prepareDocument } from './prepared-document/prepare-document.ts';
import { type Project, type ProjectSource, suppliedBy } from './project.ts';
import { type Lenience, lenienceOf } from './reading/lenience.ts';
import { loadSchema } from './schema/load-schema.ts';
import { quietLogger } from './schema/quiet-logger.ts';
import { meshFetch, wrapRootFields } from './schema/root-fields.ts';
import { type OwnSchema, separateTypes } from './schema/separate-types.ts';
import { type SourceSchema, sourceSchema } from './schema/source-schema.ts';
import { createUpstreamClient, type UpstreamClient } from './upstream/upstream-client.ts';
import { createUpstreamData, type UpstreamData } from './upstream/upstream-data.ts';
import { DEFAULT_UPSTREAM_LIMITS, type UpstreamLimits } from './upstream/upstream-limits.ts';
import { createUpstreamMemory, type UpstreamMemory } from './upstream/upstream-memory.ts';

export interface GatewayMeshOptions {
  readonly project: Project;
  /** The OpenAPI document of each source, parsed. */
  readonly documents: ReadonlyMap<string, unknown>;
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
  ) => buildConnector.connector | undefined;
  /** Where credentials are kept; none can be had where this is not given. */
  readonly vault?: CredentialVault | undefined;
}

/** An operation of a source's document, by its JSON pointer. */
interface OperationPlace {
  readonly source: string;
  readonly pointer: string;
}

/** The upstreams of a project as one GraphQL schema. */
export interface GatewayMesh {
  readonly schema: GraphQLSchema;
  /** What of the documents it does not serve, and why. */
  readonly report: readonly Finding[];
  /** The operations of the documents that it has no field for; they are reported. */
  readonly leftOut: readonly OperationPlace[];
  /** How values of a source are read that are not what its document says; undefined where they are an error. */
  lenienceOf(source: string | undefined): Lenience | undefined;
  /** Where failures of the upstreams are reported. */
  readonly log: Log;
  execute(
    document: DocumentNode | string,
    variables: Readonly<Record<string, unknown>>,
    context: MeshContext,
  ): Promise<ExecutionResult>;
  /** What calls the upstream of a source, and how; undefined where there is none of that name. */
  upstreamOf(source: string): { readonly access: UpstreamAccess; readonly source: ProjectSource } | undefined;
  /** Has the document compiled at its first execution. For the gateway's own: it takes a while. */
  compile(document: DocumentNode): void;
  /** Takes no more calls and lets those under way come to their end: a newer mesh may have taken over. */
  destroy(): Promise<void>;
}

const DEFAULT_MEMORY_SIZE = 64 * 1024 * 1024;

/** Assembles the mesh in memory: nothing is written to disk and no generated code is read. */
export async function createGatewayMesh(options: GatewayMeshOptions): Promise<GatewayMesh> {
  const { project, log, deviations = NO_DEVIATIONS } = options;
  const limits: UpstreamLimits = { ...DEFAULT_UPSTREAM_LIMITS, ...options.limits };
  const memory = createUpstreamMemory(options.memorySize ?? DEFAULT_MEMORY_SIZE);
  const upstreams = project.sources.map((source) => openUpstream(source, memory, limits, options));
  const compiled = new WeakSet<DocumentNode>();
  const workshop = openWorkshop(log);
  const sources = await readSources(options, workshop);
  const lenient = sources.filter(({ source }) => !source.strict).map(({ source }) => source.name);
  const leniences = new Map(lenient.map((name) => [name, lenienceOf(name, deviations)]));
  const schemas = separateTypes(await ownSchemas(sources, workshop)).map((own) => ({
    ...own,
    schema: wrapRootFields(own.schema, {
      ...dataOf(own.source, upstreams),
      lenience: leniences.get(own.source),
      log,
    }),
  }));
  const mesh = await openMesh(schemas, workshop, compiled);
  const { execute } = mesh;
  return {
    schema: mesh.schema,
    report: sources.flatMap(({ source }) => source.findings()),
    leftOut: sources.flatMap(({ source, leftOut }) =>
      leftOut.map(({ node }) => ({ source: source.name, pointer: node.pointer })),
    ),
    lenienceOf: (name) => leniences.get(name ?? ''),
    log,
    execute: async (document, variables, context) => await execute(document, variables, context),
    upstreamOf: (name) => upstreams.find(({ source }) => source.name === name),
    compile: (document) => void compiled.add(document),
    async destroy() {
      mesh.destroy();
      await Promise.all(upstreams.flatMap(({ client, access }) => [client.close(), access.close()]));
    },
  };
}

interface Upstream {
  readonly source: ProjectSource;
  readonly client: UpstreamClient;
  readonly access: ClosableAccess;
  readonly data: UpstreamData;
  /** Added to the query of each call. */
  readonly query: string;
}

function openUpstream(
  source: ProjectSource,
  memory: UpstreamMemory,
  limits: UpstreamLimits,
  { documents, log, connectorOf, vault = CLOSED_VAULT }: GatewayMeshOptions,
): Upstream {
  const { name, endpoint } = source;
  const certificate = source.access?.certificate;
  const tls = certificate === undefined ? {} : tlsOptions(certificate);
  const connector = connectorOf?.(source, limits.connectTimeout, tls);
  const { origin } = new URL(endpoint);
  const client = createUpstreamClient({ name, origin, limits, log, connector, tls });
  const document = documents.get(name);
  const access = openSourceAccess({ source, document, client, limits, log, vault });
  const data = createUpstreamData({
    access,
    memory,
    headers: source.operationHeaders,
    bodySize: limits.bodySize,
  });
  return { source, client, access, data, query: new URLSearchParams(source.queryParams).toString() };
}

/** One after the other: findings and names follow the order of the project. */
async function readSources(
  { project, documents }: GatewayMeshOptions,
  workshop: Workshop,
): Promise<readonly SourceSchema[]> {
  const opened = project.sources.map((source) => ({
    target: source,
    source: documentSource(source.name, documents.get(source.name), suppliedBy(source)),
  }));
  const operations = namedOperations(opened.map(({ source }) => source));
  const made: SourceSchema[] = [];
  for (const { target, source } of opened) {
    made.push(
      await sourceSchema(source, operations.get(source) ?? [], (document) =>
        loadSchema(document, target, workshop),
      ),
    );
  }
  return made;
}

/** Where there is nothing to serve, it is what Mesh has for that: GraphQL knows no empty schema. */
async function ownSchemas(
  sources: readonly SourceSchema[],
  workshop: Workshop,
): Promise<readonly OwnSchema[]> {
  const own = sources.flatMap(({ source, schema }) =>
    schema === undefined ? [] : [{ source: source.name, schema }],
  );
  const [first] = sources;
  if (own.length > 0 || first === undefined) return own;
  const { name } = first.source;
  const schema = await loadSchema(prepareDocument(first.source, []), { name, endpoint: '' }, workshop);
  return [{ source: name, schema }];
}

function dataOf(name: string, upstreams: readonly Upstream[]) {
  const found = upstreams.find(({ source }) => source.name === name);
  if (found === undefined) throw new Error(`There is no upstream for ${name}`);
  return { source: name, data: found.data, query: found.query };
}

async function openMesh(
  schemas: readonly OwnSchema[],
  workshop: Workshop,
  compiled: WeakSet<DocumentNode>,
): Promise<MeshInstance> {
  // Leaf values have been checked when they came, more strictly than GraphQL's serialisation does, and
  // that would make objects of dates and lose digits.
  const customSerializers: Record<string, (value: unknown) => unknown> = {};
  const mesh = await getMesh({
    ...workshop,
    sources: schemas.map(({ source, schema }) => ({
      name: source,
      handler: { getMeshSource: async () => ({ schema }) },
    })),
    merger: new BareMerger(workshop),
    additionalEnvelopPlugins: [
      useGraphQlJit(
        { disableLeafSerialization: true, customSerializers },
        { enableIf: ({ document }) => compiled.has(document) },
      ),
    ],
    fetchFn: meshFetch as unknown as MeshFetch,
  });
  for (const type of Object.values(mesh.schema.getTypeMap())) {
    if (isScalarType(type)) customSerializers[type.name] = (value) => value;
  }
  removeErrorRewriting(mesh);
  return mesh;
}

interface Workshop {
  readonly cache: KeyValueCache;
  readonly pubsub: MeshPubSub;
  readonly logger: Logger;
  readonly store: MeshStore;
}

/** What Mesh wants for its work beside sources; none of it keeps anything of the upstream. */
function openWorkshop(log: Log): Workshop {
  return {
    cache: NO_CACHE,
    pubsub: new PubSub(),
    logger: quietLogger(log),
    store: new MeshStore('.mesh', new InMemoryStoreStorageAdapter(), { readonly: false, validate: false }),
  };
}

const NO_CACHE: KeyValueCache = {
  get: () => undefined,
  set: () => undefined,
  delete: () => false,
  getKeysByPrefix: () => [],
};

/**
 * Removes the plugin that, outside production, replaces each error by a copy with its stack and
 * without its original error: whoever answers a client needs the error, and no client a stack.
 */
function removeErrorRewriting({ plugins }: MeshInstance): void {
  const index = plugins.findIndex((plugin) => Object.keys(plugin).join() === 'onExecute');
  if (index >= 0) plugins.splice(index, 1);
}
