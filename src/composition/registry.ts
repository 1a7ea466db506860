import { readOnly } from '../auth/permissions/read-only.ts';
import { checkOrigin, originsOf } from '../auth/requests/account-requests.ts';
import { type Config, localUrl } from '../config/config.ts';
import type { ApiUsage } from '../contract/api-report.ts';
import type { Audit } from '../contract/audit.ts';
import { NO_DEVIATIONS } from '../contract/deviations.ts';
import type { GatewayRequest, GatewayResponse } from '../contract/exchange.ts';
import type { Log } from '../contract/log.ts';
import type { ReadCounts } from '../contract/read-counts.ts';
import type { GatewayMesh } from '../mesh/mesh.ts';
import { createTrials } from '../mesh/try-it/trials.ts';
import { overlayWithGrants } from '../project/access/overlay-grants.ts';
import { overlayWithMaxAges } from '../project/access/overlay-max-ages.ts';
import { examineDocument, servedApi } from '../project/examination/examine-document.ts';
import type { Examiner } from '../project/examination/examiner.ts';
import { improveDocument } from '../project/examination/improve.ts';
import { assertNoLostSources } from '../project/follow-project.ts';
import { overlayWithReferences } from '../project/overlay/overlay-references.ts';
import type { ServedPlan } from '../project/plan/plan.ts';
import { preparedPlan, prepareProject } from '../project/plan/prepare-project.ts';
import { type AddressGuard, createAddressGuard, createHostList } from '../registry/address/address-guard.ts';
import { createExaminations } from '../registry/apis/examinations.ts';
import { LARGEST_REQUEST } from '../registry/assert-document.ts';
import { createRegistryEndpoint } from '../registry/endpoint.ts';
import { apiFolder } from '../registry/folder/api-folder.ts';
import { type FollowedDisabledApis, followDisabledApis } from '../registry/folder/disabled-apis.ts';
import { clearWaiting, recoverProject } from '../registry/folder/unfinished-change.ts';
import { historyFolder } from '../registry/history/api-history.ts';
import { createProgress } from '../registry/progress.ts';
import { type RegistryOptions, writeRegistryError } from '../registry/registry-request.ts';
import { createLogger } from '../server/logger.ts';
import type { Route } from '../server/route.ts';
import { CLOSED_VAULT } from '../upstream/credentials/open-source-access.ts';
import type { Meters } from '../upstream/meters/meter.ts';
import { whileProjectLocked } from './auth-module.ts';
import { openService, upstreamLimits } from './mesh-service.ts';
import { sampleReads } from './sample-reads.ts';

/** The project of the APIs. */
interface RegistryProject {
  /** The running service. */
  readonly serving: { readonly plan: ServedPlan; readonly mesh: GatewayMesh };
  /** The reason why the current files are not served. */
  readonly refusal?: string | undefined;
  /**
   * Resolves when the current files are served; rejects with the reason if they cannot be. Breaking changes
   * must be among the confirmed messages.
   */
  settle(confirmed: readonly string[]): Promise<void>;
}

export interface ProjectRegistry {
  readonly handler: (request: GatewayRequest) => Promise<GatewayResponse>;
  close(): Promise<void>;
}

interface RegistryContext {
  readonly config: Config;
  readonly log: Log;
  readonly baseUrl: string;
  readonly guard: AddressGuard;
  /** True with access control. */
  readonly needsGrants: boolean;
  /** Undefined without accounts. */
  readonly audit?: Audit | undefined;
  /** Returns the e-mail address of an account; undefined without accounts. */
  readonly emailOf?: ((id: string) => Promise<string>) | undefined;
  /** Excludes changes by other processes on the accounts' database; undefined without one. */
  readonly exclusively?: RegistryOptions['exclusively'];
  readonly disabled: FollowedDisabledApis;
  readonly parameters?: RegistryOptions['parameters'];
  readonly relations?: RegistryOptions['relations'];
  /** The counters of calls; undefined if nothing is served. */
  readonly counts?: { readonly reads: ReadCounts; readonly meters: Meters };
  /** Closed with the registry. */
  readonly examiner: Examiner;
}

const PATH = '/api/registry';
const UNDO_MS = 60_000;
const READING_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** The registry of APIs, which changes the followed project and describes its served state. */
export function openRegistry(dependencies: RegistryContext, project: () => RegistryProject): ProjectRegistry {
  const {
    config,
    log,
    baseUrl,
    guard,
    examiner,
    needsGrants,
    audit,
    emailOf,
    exclusively,
    disabled,
    parameters,
    relations,
    counts,
  } = dependencies;
  const names = openVariables(config);
  const trials = createTrials({
    limits: upstreamLimits(config),
    log,
    connector: (timeout) => guard.connector(timeout),
    names: { applicationName: names.APPLICATION_NAME, gatewayApiName: names.GATEWAY_API_NAME },
  });
  const origins = originsOf(baseUrl);
  const progress = createProgress();
  const folder = apiFolder(config.meshConfig);
  // Another instance may end during a change.
  const undoing = setInterval(() => {
    recoverProject(folder).catch((err: unknown) => log.warn({ err }, 'a change is not undone'));
  }, UNDO_MS).unref();
  const cleared = clearWaiting(folder, [folder.root, folder.documents, historyFolder(folder)]).catch(
    (err: unknown) => log.warn({ err }, 'files that an earlier process has left behind are not removed'),
  );
  const handler = createRegistryEndpoint({
    folder,
    examinations: createExaminations(folder.root, (texts, name) =>
      examiner.examine(texts, name, progress.reporter()),
    ),
    progress,
    grant: (texts, rows) => examiner.grant(texts, rows),
    relate: (texts, name, decisions) => examiner.relate(texts, name, decisions),
    improve: (texts, order) => examiner.improve(texts, order),
    sample: sampleReads,
    allowAges: (texts, ages) => examiner.allowAges(texts, ages),
    needsGrants,
    guard,
    hosts: createHostList(config.registryHosts),
    url: `${baseUrl}${PATH}`,
    openVariables: names,
    served(name) {
      const { serving, refusal } = project();
      const api = servedApi(serving.plan, name);
      return api && { ...api, refusal };
    },
    usage: (name) => counts && usageOf(project().serving.plan, name, counts),
    settle(confirmed) {
      progress.reporter()('serving');
      return project().settle(confirmed);
    },
    async send({ name, serviceUrl, isServed }, request, call) {
      const refusal = disabled.refusalOf(name);
      if (refusal !== undefined) throw refusal;
      if (config.readOnly && !READING_METHODS.has(request.method)) throw readOnly();
      const mesh = isServed ? project().serving.mesh : undefined;
      return trials.send({ name, serviceUrl, mesh }, request, call);
    },
    checkOrigin: (request) => checkOrigin(request, origins, false),
    log,
    audit,
    emailOf,
    exclusively,
    disabled,
    parameters,
    relations,
  });
  return {
    handler,
    async close() {
      clearInterval(undoing);
      await cleared;
      examiner.close();
      await trials.close();
    },
  };
}

function usageOf(
  plan: ServedPlan,
  name: string,
  { reads, meters }: Required<RegistryContext>['counts'],
): ApiUsage | undefined {
  const api = servedApi(plan, name);
  if (api === undefined) return undefined;
  const sets = new Set(api.model.entitySets.map((set) => set.name));
  const known = reads.counts().filter(({ resource }) => sets.has(resource));
  return {
    limits: meters.states(new URL(api.serviceUrl).origin).map(({ limit = null, left, resetMs }) => ({
      limit,
      left,
      resetSeconds: Math.ceil(resetMs / 1_000),
    })),
    sets: known.map(({ resource, today }) => ({ name: resource, ...today })),
  };
}

export function registryRoute(handler: ProjectRegistry['handler']): Route {
  return { path: PATH, handler, errorResponse: writeRegistryError, maxBodyBytes: LARGEST_REQUEST };
}

/** Variables that the project file may use and that are not secret. */
function openVariables({ meshEnvironment }: Config) {
  const { APPLICATION_NAME = '', GATEWAY_API_NAME = '' } = meshEnvironment;
  return { APPLICATION_NAME, GATEWAY_API_NAME };
}

/** Opens the registry of APIs on the project's files. Throws their mistakes. */
export async function openRegistryOfFiles(
  config: Config,
  needsGrants: boolean,
  audit: Audit,
): Promise<ProjectRegistry> {
  const log = createLogger({ level: 'silent' });
  const place = { file: config.meshConfig, environment: config.meshEnvironment };
  const guard = createAddressGuard({ hosts: createHostList(config.registryHosts) });
  const dependencies = { guard, log, vault: CLOSED_VAULT, deviations: NO_DEVIATIONS };
  const open = async () => openService(config, preparedPlan(await prepareProject(place)), dependencies);
  await recoverProject(apiFolder(config.meshConfig));
  const disabled = followDisabledApis(apiFolder(config.meshConfig), log);
  let serving = await open();
  const project: RegistryProject = {
    get serving() {
      return serving;
    },
    async settle() {
      const next = await open();
      assertNoLostSources(serving.plan, next.plan);
      await serving.destroy();
      serving = next;
    },
  };
  const registry = openRegistry(
    {
      config,
      log,
      guard,
      needsGrants,
      audit,
      disabled,
      exclusively: (work) => whileProjectLocked(config, needsGrants, work),
      examiner: DIRECT_EXAMINER,
      baseUrl: localUrl(config.host, config.port),
    },
    () => project,
  );
  return {
    handler: registry.handler,
    async close() {
      disabled.close();
      await registry.close();
      await serving.destroy();
    },
  };
}

/** Runs in the main thread, because a command serves no other requests. */
const DIRECT_EXAMINER: Examiner = {
  examine: examineDocument,
  grant: async (texts, rows) => overlayWithGrants(texts, rows).text,
  relate: async (texts, name, decisions) => overlayWithReferences(texts, name, decisions),
  improve: async (texts, order) => improveDocument(texts, order),
  allowAges: async (texts, ages) => overlayWithMaxAges(texts, ages),
  prepare: prepareProject,
  close: () => undefined,
};
