import { useGraphQlJit } from '@envelop/graphql-jit';
import BareMerger from '@graphql-mesh/merger-bare';
import OpenAPIHandler from '@graphql-mesh/openapi';
import { getMesh, type MeshInstance } from '@graphql-mesh/runtime';
import { InMemoryStoreStorageAdapter, MeshStore } from '@graphql-mesh/store';
import type {
  ImportFn,
  KeyValueCache,
  Logger,
  MeshFetch,
  MeshHandler,
  MeshPubSub,
  MeshTransform,
} from '@graphql-mesh/types';
import { PubSub } from '@graphql-mesh/utils';
import { type DocumentNode, type ExecutionResult, type GraphQLSchema, isScalarType } from 'graphql';
import type { Log } from '../contract/log.ts';
import type { MeshContext } from './mesh-context.ts';
import type { Project, ProjectSource } from './project.ts';
import { quietLogger } from './quiet-logger.ts';
import { meshFetch, type RootFieldOptions, wrapRootFields } from './root-fields.ts';
import { refuseNameConflicts, type SourceSchema } from './schema-names.ts';
import { createUpstreamClient, type UpstreamClient } from './upstream-client.ts';
import { createUpstreamData, type UpstreamData } from './upstream-data.ts';
import { DEFAULT_UPSTREAM_LIMITS, type UpstreamLimits } from './upstream-limits.ts';
import { createUpstreamMemory, type UpstreamMemory } from './upstream-memory.ts';

export interface GatewayMeshOptions {
  readonly project: Project;
  readonly log: Log;
  readonly limits?: Partial<UpstreamLimits>;
  /** Bytes for recognising data that has not changed; 0 switches that off. */
  readonly memorySize?: number;
}

/** The upstreams of a project as one GraphQL schema. */
export interface GatewayMesh {
  readonly schema: GraphQLSchema;
  /** Where what is made of the upstream's data is kept beside it. */
  readonly memory: UpstreamMemory;
  /** Where failures of the upstreams are reported. */
  readonly log: Log;
  execute(
    document: DocumentNode | string,
    variables: Readonly<Record<string, unknown>>,
    context: MeshContext,
  ): Promise<ExecutionResult>;
  /** Has the document compiled at its first execution. For the gateway's own: it takes a while. */
  compile(document: DocumentNode): void;
  /** Takes no more calls and lets those under way come to their end: a newer mesh may have taken over. */
  destroy(): Promise<void>;
}

const DEFAULT_MEMORY_SIZE = 64 * 1024 * 1024;

/** Assembles the mesh in memory: nothing is written to disk and no generated code is read. */
export async function createGatewayMesh(options: GatewayMeshOptions): Promise<GatewayMesh> {
  const { project, log } = options;
  const limits: UpstreamLimits = { ...DEFAULT_UPSTREAM_LIMITS, ...options.limits };
  const memory = createUpstreamMemory(options.memorySize ?? DEFAULT_MEMORY_SIZE);
  const upstreams = project.sources.map((source) => openUpstream(source, memory, limits, log));
  const compiled = new WeakSet<DocumentNode>();
  const mesh = await openMesh(project, upstreams, memory, compiled, log);
  const { execute } = mesh;
  return {
    schema: mesh.schema,
    memory,
    log,
    execute: async (document, variables, context) => await execute(document, variables, context),
    compile: (document) => void compiled.add(document),
    async destroy() {
      mesh.destroy();
      await Promise.all(upstreams.map(({ client }) => client.close()));
    },
  };
}

interface Upstream {
  readonly source: ProjectSource;
  readonly client: UpstreamClient;
  readonly data: UpstreamData;
}

function openUpstream(
  source: ProjectSource,
  memory: UpstreamMemory,
  limits: UpstreamLimits,
  log: Log,
): Upstream {
  const { origin } = new URL(source.endpoint);
  const client = createUpstreamClient({ name: source.name, origin, limits, log });
  const data = createUpstreamData({
    client,
    memory,
    headers: source.operationHeaders,
    bodySize: limits.bodySize,
  });
  return { source, client, data };
}

async function openMesh(
  project: Project,
  upstreams: readonly Upstream[],
  memory: UpstreamMemory,
  compiled: WeakSet<DocumentNode>,
  log: Log,
): Promise<MeshInstance> {
  const workshop = openWorkshop(log);
  const schemas = new Map<string, GraphQLSchema>();
  // Leaf values have been checked when they came, more strictly than GraphQL's serialisation does, and
  // that would make objects of dates and lose digits.
  const customSerializers: Record<string, (value: unknown) => unknown> = {};
  const mesh = await getMesh({
    ...workshop,
    sources: upstreams.map(({ source, data }) => ({
      name: source.name,
      handler: openHandler(project, source, workshop),
      transforms: [rootFieldTransform({ source: source.name, data, memory, log }, schemas)],
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
  refuseNameConflicts(inOrder(project, schemas));
  for (const type of Object.values(mesh.schema.getTypeMap())) {
    if (isScalarType(type)) customSerializers[type.name] = (value) => value;
  }
  removeErrorRewriting(mesh);
  return mesh;
}

/** Whichever source was read first, conflicts are told in the order of the project. */
function inOrder({ sources }: Project, schemas: ReadonlyMap<string, GraphQLSchema>): readonly SourceSchema[] {
  return sources.flatMap(({ name: source }) => {
    const schema = schemas.get(source);
    return schema === undefined ? [] : [{ source, schema }];
  });
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

/** Documents are files of the project: nothing is ever imported as code. */
const refuseImport: ImportFn = (module: string) => Promise.reject(new Error(`${module} is not imported`));

/** The upstream client sends the headers itself, so that Mesh need not interpolate them at each call. */
function openHandler({ directory }: Project, source: ProjectSource, workshop: Workshop): MeshHandler {
  return new OpenAPIHandler({
    ...workshop,
    name: source.name,
    config: { source: source.document, endpoint: source.endpoint, ignoreErrorResponses: true },
    baseDir: directory,
    store: workshop.store.child(source.name),
    importFn: refuseImport,
  });
}

/** Also notes the source's schema, which the merger will have made one with the others'. */
function rootFieldTransform(options: RootFieldOptions, schemas: Map<string, GraphQLSchema>): MeshTransform {
  return {
    noWrap: true,
    transformSchema(schema) {
      schemas.set(options.source, schema);
      return wrapRootFields(schema, options);
    },
  };
}

/**
 * Removes the plugin that, outside production, replaces each error by a copy with its stack and
 * without its original error: whoever answers a client needs the error, and no client a stack.
 */
function removeErrorRewriting({ plugins }: MeshInstance): void {
  const index = plugins.findIndex((plugin) => Object.keys(plugin).join() === 'onExecute');
  if (index >= 0) plugins.splice(index, 1);
}
