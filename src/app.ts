import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { parse } from 'yaml';
import { guardSource, permissionsOf } from './auth/permissions.ts';
import { type Config, localUrl } from './config/config.ts';
import { ANONYMOUS, UNRESTRICTED } from './contract/principal.ts';
import { createGraphQLEndpoint, writeGraphQLError } from './graphql/endpoint.ts';
import { createEntitySource } from './mesh/entity-source.ts';
import { createGatewayMesh, type GatewayMesh } from './mesh/mesh.ts';
import { type Project, readProject } from './mesh/project.ts';
import type { Model } from './model/edm.ts';
import { modelFromOpenApi } from './model/from-openapi.ts';
import { createODataEndpoint, writeODataError } from './odata/endpoint.ts';
import type { Landing } from './server/landing.ts';
import { createLogger } from './server/logger.ts';
import type { Part } from './server/part.ts';
import { createServer } from './server/server.ts';

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

/** Puts the parts together and serves them. Fails before anything listens where the project is no good. */
export async function startGateway(config: Config): Promise<Gateway> {
  const log = createLogger({ level: config.logLevel });
  const project = openProject(config);
  const model = await deriveModel(project, log);
  const mesh = await createGatewayMesh({
    project,
    log,
    limits: {
      deadline: config.limits.upstreamTimeoutMs,
      connections: config.limits.upstreamConnections,
      bodySize: config.limits.upstreamBodyBytes,
    },
    memorySize: config.limits.memoryBytes,
  });
  const principal = config.auth.mode === 'off' ? UNRESTRICTED : ANONYMOUS;
  const server = createServer({
    parts: [],
    landing: landingOf(model),
    log,
    authenticate: () => principal,
    secure: config.baseUrl?.startsWith('https:') ?? false,
    limits: { graceMs: config.limits.shutdownGraceMs },
  });
  const { port } = await server.listen(config.host, config.port).catch(async (error) => {
    await mesh.destroy();
    throw error;
  });
  const url = localUrl(config.host, port);
  // The public URL is part of what the parts answer, and the port may have been any free one.
  server.replaceParts(createParts(config, model, mesh, config.baseUrl ?? url, log));
  log.info({ url, upstreams: project.sources.map(({ name, endpoint }) => ({ name, endpoint })) }, 'serving');
  return {
    url,
    log,
    async close() {
      await server.close();
      await mesh.destroy();
    },
  };
}

function openProject({ meshConfig, meshEnvironment }: Config): Project {
  const reading = readProject(meshConfig, meshEnvironment);
  if (reading.kind === 'project') return reading.project;
  const list = reading.mistakes.map((mistake) => `\n  - ${mistake}`).join('');
  throw new AggregateError([], `The project cannot be served:${list}`);
}

/** What cannot be mapped is left out and said; the rest is served. */
async function deriveModel({ sources }: Project, log: Logger): Promise<Model> {
  const documents = await Promise.all(
    sources.map(async ({ name, document }) => ({
      name,
      // YAML 1.2 covers JSON.
      document: parse(await readFile(document, 'utf8')) as unknown,
    })),
  );
  const { model, report } = modelFromOpenApi(documents);
  for (const finding of report)
    log[finding.severity === 'error' ? 'error' : 'info'](finding, finding.message);
  return model;
}

function createParts(
  { limits }: Config,
  model: Model,
  mesh: GatewayMesh,
  baseUrl: string,
  log: Logger,
): readonly Part[] {
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
