import type { Config } from '../config/config.ts';
import type { CredentialVault } from '../contract/credential-vault.ts';
import type { Deviations } from '../contract/deviations.ts';
import type { Log } from '../contract/log.ts';
import type { MemoryAllowance } from '../contract/memory-allowance.ts';
import { type GatewayMesh, type MeshOptions, openGatewayMesh } from '../mesh/mesh.ts';
import type { ProjectSource } from '../mesh/project-reading/project-source.ts';
import type { Service } from '../project/follow-project.ts';
import type { PreparedPlan } from '../project/plan/prepare-project.ts';
import type { AddressGuard } from '../registry/address/address-guard.ts';
import { apiFolder } from '../registry/folder/api-folder.ts';
import { documentsFromNetwork, registeredSources } from '../registry/registered-sources.ts';
import { refuseStrayCredentials } from './refuse-stray-credentials.ts';

/** A project that can be served. */
export interface MeshService extends Service {
  readonly mesh: GatewayMesh;
}

/** What every mesh of a gateway stands on. */
export interface ServiceDependencies {
  readonly guard: AddressGuard;
  readonly log: Log;
  /** Undefined where there are no accounts. */
  readonly vault: CredentialVault | undefined;
  readonly deviations: Deviations;
  /** Room for what is received. */
  readonly memory?: MemoryAllowance;
}

/** Throws what is wrong with the plan's credentials: where they would go, and where they are to be kept. */
export async function openService(
  config: Config,
  { plan, sources }: PreparedPlan,
  { guard, log, vault, deviations, memory }: ServiceDependencies,
): Promise<MeshService> {
  const folder = apiFolder(config.meshConfig);
  const isRegistered = registeredSources(folder);
  const isGuarded = (source: ProjectSource): boolean =>
    isRegistered(source, plan.documents.get(source.name) ?? {});
  refuseStrayCredentials(plan, {
    hasAccounts: vault !== undefined,
    isGuarded,
    isFromNetwork: documentsFromNetwork(folder),
  });
  const options: MeshOptions = {
    project: plan.project,
    log,
    deviations,
    limits: { ...upstreamLimits(config), memory },
    memorySize: config.limits.memoryBytes,
    connectorOf: (source, timeout, tls) => (isGuarded(source) ? guard.connector(timeout, tls) : undefined),
    vault,
  };
  const mesh = await openGatewayMesh(options, sources);
  return { plan, mesh, destroy: () => mesh.destroy() };
}

/** How long and how much is borne from an upstream. */
export function upstreamLimits({ limits, upstreamConnections }: Config) {
  return {
    connecting: upstreamConnections,
    deadline: limits.upstreamTimeoutMs,
    connections: limits.upstreamConnections,
    queueLength: limits.upstreamQueue,
    queueTimeout: limits.upstreamQueueMs,
    sharedReads: limits.upstreamSharedReads,
    bodySize: limits.upstreamBodyBytes,
  };
}
