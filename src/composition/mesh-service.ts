import type { Config } from '../config/config.ts';
import type { CredentialVault } from '../contract/credential-vault.ts';
import type { Deviations } from '../contract/deviations.ts';
import type { Log } from '../contract/log.ts';
import type { MemoryAllowance } from '../contract/memory-allowance.ts';
import { isOAuth, needsAccounts } from '../contract/source-credential.ts';
import { changeKeys } from '../core/change-keys.ts';
import { type GatewayMesh, type MeshOptions, openGatewayMesh } from '../mesh/mesh.ts';
import type { Service } from '../project/follow-project.ts';
import { projectError, type ServedPlan } from '../project/plan/plan.ts';
import type { PreparedPlan } from '../project/plan/prepare-project.ts';
import type { AddressGuard } from '../registry/address/address-guard.ts';
import { apiFolder } from '../registry/folder/api-folder.ts';
import { documentsFromNetwork, registeredSources } from '../registry/registered-sources.ts';
import type { ProjectSource } from '../sources/project-source.ts';
import { createKeptAnswers } from '../upstream/kept/kept-answers.ts';
import { Reuse } from '../upstream/kept/reuse.ts';
import { Meters } from '../upstream/meters/meter.ts';

/** A project with its mesh. */
export interface MeshService extends Service {
  readonly mesh: GatewayMesh;
}

/** Dependencies of all meshes of a gateway. */
interface ServiceDependencies {
  readonly guard: AddressGuard;
  readonly log: Log;
  /** Undefined without accounts. */
  readonly vault: CredentialVault | undefined;
  readonly deviations: Deviations;
  readonly refusalOf?: MeshOptions['refusalOf'];
  /** The limit for received data. */
  readonly memory?: MemoryAllowance;
  readonly meters?: Meters;
  readonly reuse?: Reuse;
}

/** Throws if the plan's credentials would be sent to unsafe targets, or cannot be stored. */
export async function openService(
  config: Config,
  { plan, sources }: PreparedPlan,
  { guard, log, vault, deviations, memory, refusalOf, meters, reuse }: ServiceDependencies,
): Promise<MeshService> {
  const folder = apiFolder(config.meshConfig);
  const isRegistered = registeredSources(folder);
  const isGuarded = (source: ProjectSource): boolean =>
    isRegistered(source, plan.documents.get(source.name) ?? {});
  const isFromNetwork = documentsFromNetwork(folder);
  assertNoStrayCredentials(plan, {
    hasAccounts: vault !== undefined,
    isGuarded,
    isFromNetwork,
  });
  const options: MeshOptions = {
    project: plan.project,
    log,
    deviations,
    limits: { ...upstreamLimits(config), memory },
    memorySize: config.limits.memoryBytes,
    connectorOf: (source, timeout, tls, isForeign) =>
      isGuarded(source) || (isForeign && isFromNetwork(source.name))
        ? guard.connector(timeout, tls)
        : undefined,
    vault,
    refusalOf,
    meters,
    reuse,
    changeKeys: config.auth.mode === 'required' ? changeKeys(config.auth.secret) : undefined,
  };
  const mesh = await openGatewayMesh(options, sources);
  return { plan, mesh, destroy: () => mesh.destroy() };
}

/** The state of upstreams that outlives changes of the project: their limits, and answers that may be used again. */
export function upstreamStateOf({ limits }: Config): Required<Pick<ServiceDependencies, 'meters' | 'reuse'>> {
  return { meters: new Meters(), reuse: new Reuse(createKeptAnswers(limits.keptBytes)) };
}

/** The limits of upstream calls. */
export function upstreamLimits({ limits, upstreamConnections }: Config) {
  return {
    connecting: upstreamConnections,
    deadline: limits.upstreamTimeoutMs,
    connections: limits.upstreamConnections,
    streams: limits.upstreamStreams,
    userStreams: limits.userStreams,
    queueLength: limits.upstreamQueue,
    queueTimeout: limits.upstreamQueueMs,
    sharedReads: limits.upstreamSharedReads,
    bodySize: limits.upstreamBodyBytes,
  };
}

/** The conditions for sending credentials. */
interface CredentialContext {
  readonly hasAccounts: boolean;
  /** Whether the endpoint of a source came over the network. */
  readonly isGuarded: (source: ProjectSource) => boolean;
  /** Whether the document of a source may have come over the network. */
  readonly isFromNetwork: (name: string) => boolean;
}

/**
 * Throws if credentials would be sent to a target that came over the network, or cannot be stored: an
 * administrator of APIs must not be able to redirect the operator's credentials.
 */
function assertNoStrayCredentials({ project }: ServedPlan, dependencies: CredentialContext): void {
  const mistakes = project.sources.flatMap((source) =>
    mistakesOf(source, dependencies).map((mistake) => `${source.name}: ${mistake}`),
  );
  if (mistakes.length > 0) throw projectError(mistakes);
}

function mistakesOf(source: ProjectSource, dependencies: CredentialContext): readonly string[] {
  const { name, endpoint, access } = source;
  if (access === undefined) return [];
  const { credential } = access;
  const mistakes: string[] = [];
  if (dependencies.isGuarded(source) && access.endpoint === undefined) {
    mistakes.push(
      `its endpoint was given over the network: its credentials must say "endpoint: ${endpoint}"`,
    );
  }
  if (dependencies.isFromNetwork(name) && isOAuth(credential) && credential.tokenUrl === undefined) {
    mistakes.push(`its document came over the network: ${credential.kind} must say the tokenUrl`);
  }
  if (!dependencies.hasAccounts && needsAccounts(credential)) {
    mistakes.push(`${credential?.kind} needs accounts: it is not possible with AUTH=off`);
  }
  return mistakes;
}

/** Maximum number of properties with a count, because each is a time series. */
const MOST_PROPERTIES = 1_000;

/** Represents all further properties. */
const OTHERS = 'other';

export function createDeviations(log: Log): Deviations {
  const counts = new Map<string, { source: string; property: string; value: number }>();
  const begin = (source: string, property: string, expected: string, found: string) => {
    const begun = { source, property, value: 0 };
    counts.set(keyOf(source, property), begun);
    const fields = property === OTHERS ? { source } : { source, property, expected, found };
    log.warn(fields, 'values from the upstream do not match its document: they are converted if possible');
    return begun;
  };
  return {
    note(source, property, expected, found) {
      const known = counts.get(keyOf(source, property));
      const named = known !== undefined || counts.size < MOST_PROPERTIES ? property : OTHERS;
      const count = known ?? counts.get(keyOf(source, named)) ?? begin(source, named, expected, found);
      count.value += 1;
    },
    counts: () => [...counts.values()],
  };
}

function keyOf(source: string, property: string): string {
  return `${source} ${property}`;
}
