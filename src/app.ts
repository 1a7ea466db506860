import type { Logger } from 'pino';
import { guardSource, permissionsOf } from './auth/permissions.ts';
import { type Config, localUrl } from './config/config.ts';
import { ANONYMOUS, UNRESTRICTED } from './contract/principal.ts';
import { createGraphQLEndpoint, writeGraphQLError } from './graphql/endpoint.ts';
import { createEntitySource } from './mesh/entity-source.ts';
import { createGatewayMesh, type GatewayMesh } from './mesh/mesh.ts';
import { type Project, readProject } from './mesh/project.ts';
import {
  createProjectReader,
  type FileDigests,
  haveChanged,
  type ProjectReader,
} from './mesh/project-files.ts';
import { watchProject } from './mesh/project-watcher.ts';
import type { Model } from './model/edm.ts';
import { type Finding, modelFromOpenApi } from './model/from-openapi.ts';
import { compareModels, newFindings } from './model/model-change.ts';
import { createODataEndpoint, writeODataError } from './odata/endpoint.ts';
import type { Landing } from './server/landing.ts';
import { createLogger } from './server/logger.ts';
import type { Part } from './server/part.ts';
import { createServer, type GatewayServer } from './server/server.ts';

/** A gateway that listens. */
export interface Gateway {
  /** Where it is reached from this machine. */
  readonly url: string;
  readonly log: Logger;
  /** Stops without failing a request. */
  close(): Promise<void>;
}

/** GraphQL documents are small; what is larger is not one. */
const GRAPHQL_BODY_BYTES = 100 * 1024;

/**
 * Puts the parts together and serves them, and others in their place when the project changes. Fails before
 * anything listens where the project is no good.
 */
export async function startGateway(
  config: Config,
  log: Logger = createLogger({ level: config.logLevel }),
): Promise<Gateway> {
  const reader = createProjectReader();
  const service = await openService(config, readPlan(config, reader), log);
  logFindings(service.report, log);
  const principal = config.auth.mode === 'off' ? UNRESTRICTED : ANONYMOUS;
  const server = createServer({
    parts: [],
    landing: landingOf(service.model),
    log,
    authenticate: () => principal,
    secure: config.baseUrl?.startsWith('https:') ?? false,
    limits: { graceMs: config.limits.shutdownGraceMs },
  });
  const { port } = await server.listen(config.host, config.port).catch(async (error) => {
    await service.mesh.destroy();
    throw error;
  });
  const url = localUrl(config.host, port);
  // The public URL is part of what the parts answer, and the port may have been any free one.
  const ground: Ground = { config, log, server, baseUrl: config.baseUrl ?? url };
  server.replaceParts(createParts(ground, service), landingOf(service.model));
  log.info({ url, upstreams: upstreamsOf(service) }, 'serving');
  const following = followProject(ground, service, reader.digests);
  return {
    url,
    log,
    async close() {
      const stopped = following.stop();
      await server.close();
      const meshes = await stopped;
      await Promise.all(meshes.map((mesh) => mesh.destroy()));
    },
  };
}

/** What stays as it is while the project changes. */
interface Ground {
  readonly config: Config;
  readonly log: Logger;
  readonly server: GatewayServer;
  readonly baseUrl: string;
}

/** What the files of the project say at one moment. */
interface Plan {
  readonly project: Project;
  readonly model: Model;
  readonly report: readonly Finding[];
}

/** All that is made of it; replaced in whole. */
interface Service extends Plan {
  readonly mesh: GatewayMesh;
}

/** Throws what is wrong with the project. What cannot be mapped is in the report; the rest is served. */
function readPlan({ meshConfig, meshEnvironment }: Config, { read }: ProjectReader): Plan {
  const reading = readProject(meshConfig, meshEnvironment, read);
  if (reading.kind === 'mistakes') throw projectError(reading.mistakes);
  const { project } = reading;
  return { project, ...modelFromOpenApi(readDocuments(project, read)) };
}

async function openService({ limits }: Config, plan: Plan, log: Logger): Promise<Service> {
  const mesh = await createGatewayMesh({
    project: plan.project,
    log,
    limits: {
      deadline: limits.upstreamTimeoutMs,
      connections: limits.upstreamConnections,
      bodySize: limits.upstreamBodyBytes,
    },
    memorySize: limits.memoryBytes,
  });
  return { ...plan, mesh };
}

interface NamedDocument {
  readonly name: string;
  readonly document: unknown;
}

function readDocuments({ sources }: Project, read: ProjectReader['read']): readonly NamedDocument[] {
  const mistakes: string[] = [];
  const documents = sources.map(({ name, document }) => {
    try {
      return { name, document: read(document) };
    } catch (error) {
      mistakes.push(`${document} cannot be read: ${(error as Error).message}`);
      return { name, document: undefined };
    }
  });
  if (mistakes.length > 0) throw projectError(mistakes);
  return documents;
}

function projectError(mistakes: readonly string[]): AggregateError {
  const list = mistakes.map((mistake) => `\n  - ${mistake}`).join('');
  return new AggregateError([], `The project cannot be served:${list}`);
}

function logFindings(findings: readonly Finding[], log: Logger): void {
  for (const finding of findings)
    log[finding.severity === 'error' ? 'error' : 'info'](finding, finding.message);
}

function upstreamsOf({ project }: Service) {
  return project.sources.map(({ name, endpoint }) => ({ name, endpoint }));
}

interface Following {
  /** Follows no more; gives the meshes that are still open. */
  stop(): Promise<readonly GatewayMesh[]>;
}

/** Serves each later state of the project that can be served, in the place of the one before it. */
function followProject(ground: Ground, first: Service, digests: FileDigests): Following {
  const { config, log, server } = ground;
  const open = new Set([first.mesh]);
  let serving = first;

  function swap(next: Service, parts: readonly Part[]): void {
    const earlier = serving;
    const answered = server.replaceParts(parts, landingOf(next.model));
    serving = next;
    open.add(next.mesh);
    logChange(earlier, next, log);
    retire(earlier, answered).catch((err: unknown) => log.error({ err }, 'a mesh could not be closed'));
  }

  async function retire({ mesh }: Service, answered: Promise<void>): Promise<void> {
    await answered;
    if (open.delete(mesh)) await mesh.destroy();
  }

  async function reload(reader: ProjectReader): Promise<void> {
    const plan = readPlan(config, reader);
    refuseLostDocuments(serving.report, plan.report);
    const next = await openService(config, plan, log);
    try {
      const parts = createParts(ground, next);
      // The mesh reads the documents itself: what was made of two states of them is not served.
      if (haveChanged(reader.digests)) await next.mesh.destroy();
      else swap(next, parts);
    } catch (error) {
      await next.mesh.destroy();
      throw error;
    }
  }

  const watcher = watchProject({ digests, reload, log });
  return {
    async stop() {
      await watcher.close();
      const meshes = [...open];
      open.clear();
      return meshes;
    },
  };
}

function logChange(earlier: Service, later: Service, log: Logger): void {
  logFindings(newFindings(earlier.report, later.report), log);
  const change = compareModels(earlier.model, later.model);
  log.info({ ...change, upstreams: upstreamsOf(later) }, 'serving the changed project');
}

/** A file that is being written may be no OpenAPI document yet: that takes no API away. */
function refuseLostDocuments(earlier: readonly Finding[], later: readonly Finding[]): void {
  const lost = newFindings(earlier, later).filter(
    ({ severity, pointer }) => severity === 'error' && pointer === '',
  );
  if (lost.length > 0) throw projectError(lost.map(({ source, message }) => `${source}: ${message}`));
}

function createParts({ config, baseUrl, log }: Ground, { model, mesh }: Service): readonly Part[] {
  const { limits } = config;
  const permissions = permissionsOf(model);
  return [
    {
      path: '/odata',
      handler: createODataEndpoint({
        model,
        source: guardSource(createEntitySource({ mesh, model }), permissions),
        root: `${baseUrl}/odata`,
        answerMemoryBytes: limits.memoryBytes,
      }),
      errorResponse: writeODataError,
      maxBodyBytes: limits.requestBodyBytes,
    },
    {
      path: '/graphql',
      handler: createGraphQLEndpoint({ model, schema: mesh.schema, permissions, log }),
      errorResponse: writeGraphQLError,
      maxBodyBytes: GRAPHQL_BODY_BYTES,
    },
  ];
}

/** Links are relative to the page: the public URL may have a path. */
function landingOf(model: Model): Landing {
  const entitySets = [...model.entitySets.keys()].map((name) => ({ title: name, href: `odata/${name}` }));
  return {
    title: 'Duogate',
    description: 'REST APIs as OData 4.01 and as GraphQL.',
    links: [
      { title: 'OData service', href: 'odata', description: 'What the service offers' },
      { title: 'Metadata', href: 'odata/$metadata', description: 'The entity data model as CSDL' },
      ...entitySets,
      { title: 'GraphQL', href: 'graphql', description: 'In a browser: GraphiQL' },
      { title: 'Health', href: 'health/ready' },
    ],
  };
}
