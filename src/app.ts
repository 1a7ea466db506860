import { join } from 'node:path';
import type { Logger } from 'pino';
import {
  openRegistry,
  type ProjectRegistry,
  type RegistryProject,
  registryPart,
  upstreamLimits,
} from './app-registry.ts';
import type { Access, OpenAccess } from './auth/access.ts';
import { writeAccountError } from './auth/account-error.ts';
import type { Administration } from './auth/administration.ts';
import { guardSource, permissionsOf } from './auth/permissions.ts';
import { visibleModels } from './auth/visible-model.ts';
import { type Config, localUrl } from './config/config.ts';
import type { EntitySource } from './contract/entity-source.ts';
import { ANONYMOUS, UNRESTRICTED } from './contract/principal.ts';
import { createFileReader } from './document/file-reader.ts';
import { createGraphQLEndpoint, writeGraphQLError } from './graphql/endpoint.ts';
import { createEntitySource } from './mesh/entity-source.ts';
import { createGatewayMesh, type GatewayMesh } from './mesh/mesh.ts';
import {
  createODataEndpoint,
  type DeferredAnswers,
  openDeferredAnswers,
  writeODataError,
} from './odata/endpoint.ts';
import { describeService } from './odata/service-overview.ts';
import { examineDocument } from './project/examination/examine-document.ts';
import { type Examiner, ThreadExaminer } from './project/examination/examiner.ts';
import { type Following, followProject, refuseLostSources, type Service } from './project/follow-project.ts';
import { type Plan, readPlan, type ServedPlan, servedPlan } from './project/plan.ts';
import { logPlan, upstreamsOf } from './project/project-log.ts';
import { type AddressGuard, createAddressGuard } from './registry/address/address-guard.ts';
import { createHostList } from './registry/address/host-list.ts';
import { apiFolder } from './registry/folder/api-folder.ts';
import { registeredSources } from './registry/registered-sources.ts';
import { listServedApis } from './registry/served-apis.ts';
import type { Authenticate } from './server/ground.ts';
import type { LandingOf, Link } from './server/landing.ts';
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
 * anything listens where the project is no good. The examiner is closed with the gateway.
 */
export async function startGateway(
  config: Config,
  log: Logger = createLogger({ level: config.logLevel }),
  examiner: Examiner = new ThreadExaminer(),
): Promise<Gateway> {
  const place = { file: config.meshConfig, environment: config.meshEnvironment };
  const reader = createFileReader();
  const guard = createAddressGuard({ hosts: createHostList(config.registryHosts) });
  const open = (plan: Plan): Promise<MeshService> => openService(config, plan, guard, log);
  const first = await open(readPlan(place, reader));
  logPlan(first.plan, log);
  const accounts = await openAccounts(config, log).catch((error) => giveUp(error, first));
  let gate: Gate = CLOSED;
  const server = serverOf(config, first.plan, log, (request) => gate.authenticate(request));
  const { port } = await server.listen(config.host, config.port).catch(async (error) => {
    await accounts?.close();
    return giveUp(error, first);
  });
  const url = localUrl(config.host, port);
  // The public URL is part of what the parts answer, and the port may have been any free one.
  const baseUrl = config.baseUrl ?? url;
  gate = accounts === undefined ? OPEN : gateOf(await accounts.serveAt(baseUrl));
  const registry = openRegistry({ config, log, baseUrl, guard, examiner }, () => following);
  const deferred = openDeferredAnswers(log);
  const gateParts = [...gate.parts, registryPart(registry.handler)];
  const replace = replacing(server, { config, log, baseUrl, deferred, gateParts });
  replace(first);
  log.info({ url, upstreams: upstreamsOf(first.plan) }, 'serving');
  const following: Following<MeshService> = followProject({
    place,
    digests: reader.digests,
    first,
    open,
    replace,
    log,
  });
  return {
    url,
    log,
    async close() {
      const stopped = following.stop();
      await server.close();
      await deferred.close();
      await registry.close();
      const services = await stopped;
      await Promise.all([...services.map((service) => service.destroy()), accounts?.close()]);
    },
  };
}

/** Has a service serve in the place of the one before; resolves when that one has nothing left to do. */
function replacing(server: GatewayServer, ground: Ground): (service: MeshService) => Promise<void> {
  const grace = ground.config.limits.shutdownGraceMs;
  let serving: Serving | undefined;
  return (service) => {
    const earlier = serving;
    const next = createParts(ground, service);
    const answered = server.replaceParts(next.parts, landingOf(service.plan));
    serving = next;
    return answered.then(() => earlier?.finish(grace));
  };
}

async function giveUp(error: unknown, service: MeshService): Promise<never> {
  await service.destroy();
  throw error;
}

/** Undefined where there are none: everybody may do everything. Their library is loaded only where it is needed. */
async function openAccounts(config: Config, log: Logger): Promise<OpenAccess | undefined> {
  const { auth, database: place, issuers, trustedProxies } = config;
  if (auth.mode === 'off') return undefined;
  const { openAccess } = await import('./auth/access.ts');
  return openAccess({ place, secret: auth.secret, issuers, trustedProxies, log });
}

/** Opens the accounts for those who see to them, whether a gateway runs or not. */
export async function openAdministration({ database }: Config): Promise<Administration> {
  const { openAdministration: open } = await import('./auth/administration.ts');
  return open(database, createLogger({ level: 'silent' }));
}

/** Who gets in, and the parts that see to it. */
interface Gate {
  readonly authenticate: Authenticate;
  readonly parts: readonly Part[];
}

const CLOSED: Gate = { authenticate: () => ANONYMOUS, parts: [] };
const OPEN: Gate = { authenticate: () => UNRESTRICTED, parts: [] };

const ACCOUNT_BODY_BYTES = 64 * 1024;

function gateOf({ authenticate, accounts, keys }: Access): Gate {
  const part = { open: true, errorResponse: writeAccountError, maxBodyBytes: ACCOUNT_BODY_BYTES };
  return {
    authenticate,
    parts: [
      { ...part, path: '/api/auth', listener: accounts },
      { ...part, path: '/api/auth/keys', handler: keys },
    ],
  };
}

/** Where `npm run build` puts the screens. */
const WEB_DIRECTORY = join(import.meta.dirname, '../dist/web');

function pathOf(url: string): string {
  return new URL(url).pathname.replace(/\/$/, '');
}

/** It has no parts yet. */
function serverOf(
  { apiKeyParameter, baseUrl, corsOrigins, limits, metricsReaders }: Config,
  plan: ServedPlan,
  log: Logger,
  authenticate: Authenticate,
): GatewayServer {
  return createServer({
    parts: [],
    landing: landingOf(plan),
    log,
    authenticate,
    apiKeyParameter,
    corsOrigins,
    metricsReaders,
    web: { directory: WEB_DIRECTORY, basePath: `${baseUrl === undefined ? '' : pathOf(baseUrl)}/` },
    secure: baseUrl?.startsWith('https:') ?? false,
    limits: { graceMs: limits.shutdownGraceMs, maxTargetLength: limits.url.length },
  });
}

/** What stays as it is while the project changes. */
interface Ground {
  readonly config: Config;
  readonly log: Logger;
  readonly baseUrl: string;
  readonly deferred: DeferredAnswers;
  readonly gateParts: readonly Part[];
}

interface Serving {
  readonly parts: readonly Part[];
  /** Resolves when nothing is left to do, or is given up after the grace, in milliseconds. */
  finish(grace: number): Promise<void>;
}

interface MeshService extends Service {
  readonly mesh: GatewayMesh;
}

async function openService(
  config: Config,
  plan: Plan,
  guard: AddressGuard,
  log: Logger,
): Promise<MeshService> {
  const isRegistered = registeredSources(apiFolder(config.meshConfig));
  const mesh = await createGatewayMesh({
    project: plan.project,
    documents: plan.documents,
    log,
    limits: upstreamLimits(config),
    memorySize: config.limits.memoryBytes,
    connectorOf: (source, timeout) =>
      isRegistered(source, plan.documents.get(source.name) ?? {}) ? guard.connector(timeout) : undefined,
  });
  return { plan: servedPlan(plan, mesh), mesh, destroy: () => mesh.destroy() };
}

/** Opens the registry of APIs on the project's files. Throws what is wrong with them. */
export async function openRegistryOfFiles(config: Config): Promise<ProjectRegistry> {
  const log = createLogger({ level: 'silent' });
  const place = { file: config.meshConfig, environment: config.meshEnvironment };
  const guard = createAddressGuard({ hosts: createHostList(config.registryHosts) });
  const open = () => openService(config, readPlan(place, createFileReader()), guard, log);
  let serving = await open();
  const project: RegistryProject = {
    get serving() {
      return serving;
    },
    async settle() {
      const next = await open();
      refuseLostSources(serving.plan, next.plan);
      await serving.destroy();
      serving = next;
    },
  };
  const registry = openRegistry(
    { config, log, guard, examiner: DIRECT_EXAMINER, baseUrl: localUrl(config.host, config.port) },
    () => project,
  );
  return {
    handler: registry.handler,
    async close() {
      await registry.close();
      await serving.destroy();
    },
  };
}

/** For a command, which has nobody else waiting: it need not load in a thread what it has loaded itself. */
const DIRECT_EXAMINER: Examiner = { examine: examineDocument, close: () => undefined };

function createParts(
  { config, baseUrl, deferred, gateParts, log }: Ground,
  { plan, mesh }: MeshService,
): Serving {
  const { limits } = config;
  const { model } = plan;
  const permissions = permissionsOf(model);
  const guard = (source: EntitySource): EntitySource => guardSource(source, permissions, model);
  const odata = createODataEndpoint({
    model,
    visibleTo: visibleModels(model),
    source: guard(createEntitySource({ mesh, model })),
    guard,
    root: `${baseUrl}/odata`,
    answerMemoryBytes: limits.memoryBytes,
    credentialParameter: config.apiKeyParameter,
    signingKey: config.auth.mode === 'required' ? config.auth.secret : undefined,
    limits: { url: limits.url },
    deferred,
    log,
  });
  const parts = [
    ...gateParts,
    {
      path: '/odata',
      handler: odata,
      takesUpload: odata.takesUpload,
      maxUploadBytes: limits.uploadBytes,
      errorResponse: writeODataError,
      crossOrigin: true,
      maxBodyBytes: limits.requestBodyBytes,
    },
    {
      path: '/graphql',
      handler: createGraphQLEndpoint({ model, schema: mesh.schema, permissions, log }),
      errorResponse: writeGraphQLError,
      crossOrigin: true,
      maxBodyBytes: GRAPHQL_BODY_BYTES,
    },
  ];
  return { parts, finish: odata.finish };
}

/** Links are relative to the page: the public URL may have a path. */
function landingOf(plan: ServedPlan): LandingOf {
  const { model } = plan;
  const permissions = permissionsOf(model);
  return (principal) => ({
    title: 'Duogate',
    description: 'REST APIs as OData 4.01 and as GraphQL.',
    access: principal.kind,
    links: LINKS,
    apis: listServedApis(plan.documents, principal),
    ...describeService(model, permissions, principal),
  });
}

const LINKS: readonly Link[] = [
  { title: 'OData service', href: 'odata', description: 'What the service offers' },
  { title: 'Metadata', href: 'odata/$metadata', description: 'The entity data model as CSDL' },
  { title: 'GraphQL', href: 'graphql', description: 'In a browser: GraphiQL' },
  { title: 'Web screens', href: 'app', description: 'Lists and forms on the data' },
  { title: 'Health', href: 'health/ready', description: 'Whether the service wants requests' },
];
