import type { RequestListener } from 'node:http';
import type { Logger } from 'pino';
import { authModuleOf, OPEN, openAccounts, servedProject } from './composition/auth-module.ts';
import { followProofs } from './composition/followed-proofs.ts';
import { landingOf, memoryOf, serverOf } from './composition/gateway-server.ts';
import {
  createDeviations,
  type MeshService,
  openService,
  upstreamStateOf,
} from './composition/mesh-service.ts';
import { createReadCounts } from './composition/read-counts.ts';
import { openRegistry, registryRoute } from './composition/registry.ts';
import { createRoutes, type RoutesDependencies, type Serving } from './composition/routes.ts';
import { type Config, localUrl } from './config/config.ts';
import { openDeferredAnswers } from './odata/endpoint.ts';
import { type Examiner, ThreadExaminer } from './project/examination/examiner.ts';
import { followProject, type ProjectReloader } from './project/follow-project.ts';
import { assertNotEmpty } from './project/plan/assert-no-losses.ts';
import { type PreparedPlan, preparedPlan, prepareProject } from './project/plan/prepare-project.ts';
import { logPlan, upstreamsOf } from './project/plan/project-log.ts';
import { createAddressGuard, createHostList } from './registry/address/address-guard.ts';
import { apiFolder } from './registry/folder/api-folder.ts';
import { followDisabledApis } from './registry/folder/disabled-apis.ts';
import { recoverProject } from './registry/folder/unfinished-change.ts';
import { confirmedSince } from './registry/history/api-history.ts';
import { documentsFromNetwork } from './registry/registered-sources.ts';
import type { Readiness } from './server/health.ts';
import { type HealthPort, openHealthPort } from './server/health-port/health-port.ts';
import { createLogger } from './server/logger.ts';
import { closedGate, type GatewayServer } from './server/server.ts';

export interface Gateway {
  /** The URL for clients on this machine. */
  readonly url: string;
  /** The URL of the separate health port; undefined without one. */
  readonly healthUrl: string | undefined;
  readonly log: Logger;
  /** Checks the project's files for changes, also without a file event. */
  look(): void;
  /**
   * Stops without failing a request; the port stays open for `leaveMs` milliseconds, so that load balancers
   * notice.
   */
  close(leaveMs?: number): Promise<void>;
}

/**
 * Builds the routes, serves them, and replaces them when the project changes. Throws before it listens if the
 * project is invalid. Closes the examiner with the gateway.
 */
export async function startGateway(
  config: Config,
  log: Logger = createLogger({ level: config.logLevel }),
  examiner: Examiner = examinerOf(config),
): Promise<Gateway> {
  const { handle: _, ...gateway } = await openGateway(config, log, examiner, async (server) => {
    const { port } = await server.listen(config.host, config.port);
    return localUrl(config.host, port);
  });
  return gateway;
}

/** A gateway whose requests another server passes on. */
export interface MountedGateway extends Gateway {
  /** The handler for the path of BASE_URL, such as `app.use('/data', gateway.handle)` in Express. */
  readonly handle: RequestListener;
}

/**
 * Builds the routes without listening, for another server. Throws if BASE_URL does not name the public URL.
 */
export async function mountGateway(
  config: Config,
  log: Logger = createLogger({ level: config.logLevel }),
  examiner: Examiner = examinerOf(config),
): Promise<MountedGateway> {
  const { baseUrl } = config;
  if (baseUrl === undefined) {
    throw new Error('BASE_URL is missing: a gateway that is mounted elsewhere does not know its address.');
  }
  return openGateway(config, log, examiner, async () => baseUrl);
}

/** A project may have many documents, so it gets this multiple of the time for one. */
const PROJECT_FACTOR = 4;

function examinerOf({ limits }: Config): Examiner {
  const { examinationMs } = limits;
  return new ThreadExaminer({ documentMs: examinationMs, projectMs: examinationMs * PROJECT_FACTOR });
}

/** Opens the server, and returns its URL for this machine. */
type Placing = (server: GatewayServer) => Promise<string>;

async function openGateway(
  config: Config,
  log: Logger,
  examiner: Examiner,
  place: Placing,
): Promise<MountedGateway> {
  const project = { file: config.meshConfig, environment: config.meshEnvironment };
  await recoverProject(apiFolder(config.meshConfig));
  const guard = createAddressGuard({ hosts: createHostList(config.registryHosts) });
  // Runs on the main thread, because there are no requests yet.
  const state = await prepareProject(project);
  const prepared = preparedPlan(state);
  assertNotEmpty(prepared.plan);
  const disabled = followDisabledApis(apiFolder(config.meshConfig), log);
  const proofs = followProofs(apiFolder(config.meshConfig), log);
  const accounts = await openAccounts(config, log);
  const deviations = createDeviations(log);
  const { meters, reuse } = upstreamStateOf(config);
  const reads = createReadCounts();
  const memory = memoryOf(config);
  const { refusalOf } = disabled;
  const dependencies = { guard, log, vault: accounts?.vault, deviations, memory, refusalOf, meters, reuse };
  const open = (next: PreparedPlan): Promise<MeshService> => openService(config, next, dependencies);
  const first = await open(prepared).catch((error) => giveUp(error, accounts));
  logPlan(first.plan, log);
  const gate = closedGate();
  let refusal = (): string | undefined => undefined;
  const health = await openHealth(config).catch((error) => giveUp(error, accounts));
  const readiness = async (): Promise<Readiness> =>
    accounts === undefined || (await accounts.isReachable()) ? 'ready' : 'degraded';
  const server = serverOf(config, first.plan, {
    log,
    deviations,
    reads,
    memory,
    authenticate: gate.authenticate,
    readiness,
    isProjectRefused: () => refusal() !== undefined,
  });
  health?.show(server.metrics);
  const url = await place(server).catch(async (error) => {
    await first.destroy();
    await health?.close();
    return giveUp(error, accounts);
  });
  // Responses contain the public URL, and the port may have been chosen by the system.
  const baseUrl = config.baseUrl ?? url;
  const served = servedProject(() => following.serving.plan);
  const auth = accounts === undefined ? OPEN : authModuleOf(await accounts.serveAt(baseUrl, served));
  gate.open(auth.authenticate);
  const registry = openRegistry(
    {
      config,
      log,
      baseUrl,
      guard,
      examiner,
      needsGrants: config.auth.mode !== 'off',
      audit: accounts?.audit,
      emailOf: accounts?.emailOf,
      exclusively: accounts?.exclusively,
      disabled,
      parameters: proofs.parameters,
      relations: proofs.relations,
      counts: { reads, meters },
    },
    () => following,
  );
  const deferred = openDeferredAnswers(log);
  const gateRoutes = [...auth.routes, registryRoute(registry.handler)];
  const replace = replacing(server, { config, log, reads, baseUrl, deferred, gateRoutes, proofs });
  replace(first);
  const healthUrl = health && localUrl(config.host, health.port);
  log.info({ url, healthUrl, upstreams: upstreamsOf(first.plan) }, 'serving');
  const following: ProjectReloader<MeshService> = followProject({
    began: { readAt: state.readAt, digests: state.digests },
    first,
    prepare: () => examiner.prepare(project),
    open,
    replace,
    confirmedSince: confirmationOf(config),
    documentsFromNetwork:
      config.auth.mode === 'off' ? undefined : () => documentsFromNetwork(apiFolder(config.meshConfig)),
    log,
  });
  refusal = () => following.refusal;
  const watching = health && (await sayReadiness(health, readiness));
  return {
    url,
    healthUrl,
    log,
    handle: server.handle,
    look() {
      disabled.look();
      // The failure is logged where it occurs.
      following.settle().catch(() => undefined);
    },
    async close(leaveMs) {
      watching?.stop();
      health?.say('stopping');
      const stopped = following.stop();
      await server.close(leaveMs);
      await deferred.close();
      await registry.close();
      disabled.close();
      proofs.close();
      const services = await stopped;
      await Promise.all(services.map((service) => service.destroy()));
      // The last tokens from upstreams are still stored with the accounts.
      await accounts?.close();
      await health?.close();
    },
  };
}

/** The confirmed messages of breaking changes; undefined if edited files need no confirmation. */
function confirmationOf({
  editedFiles,
  meshConfig,
}: Config): ((moment: Date) => ReadonlySet<string>) | undefined {
  if (editedFiles === 'serve') return undefined;
  return (moment) => confirmedSince(apiFolder(meshConfig), moment);
}

async function openHealth({ host, healthPort, metricsReaders }: Config): Promise<HealthPort | undefined> {
  return healthPort === undefined ? undefined : openHealthPort(host, healthPort, metricsReaders.healthPort);
}

const READINESS_MS = 5_000;

/** Reports the readiness to the health port, now and every few seconds. */
async function sayReadiness(
  health: HealthPort,
  readiness: () => Promise<Readiness>,
): Promise<{ readonly stop: () => void }> {
  let isStopped = false;
  const say = async (): Promise<void> => {
    const now = await readiness();
    if (!isStopped) health.say(now);
  };
  await say();
  const timer = setInterval(() => void say(), READINESS_MS).unref();
  return {
    stop() {
      isStopped = true;
      clearInterval(timer);
    },
  };
}

/** Replaces a running service; resolves when the previous one has no work left. */
function replacing(
  server: GatewayServer,
  dependencies: RoutesDependencies,
): (service: MeshService) => Promise<void> {
  const grace = dependencies.config.limits.shutdownGraceMs;
  let serving: Serving | undefined;
  return (service) => {
    const earlier = serving;
    const next = createRoutes(dependencies, service);
    const answered = server.replaceRoutes(next.routes, landingOf(service.plan, dependencies.config));
    serving = next;
    return answered.then(() => earlier?.finish(grace));
  };
}

async function giveUp(error: unknown, accounts: Awaited<ReturnType<typeof openAccounts>>): Promise<never> {
  await accounts?.close();
  throw error;
}
