import type { Config } from '../config/config.ts';
import type { Log } from '../contract/log.ts';
import { createGatewayMesh, type GatewayMesh } from '../mesh/mesh.ts';
import type { Service } from '../project/follow-project.ts';
import { type Plan, servedPlan } from '../project/plan.ts';
import type { AddressGuard } from '../registry/address/address-guard.ts';
import { apiFolder } from '../registry/folder/api-folder.ts';
import { registeredSources } from '../registry/registered-sources.ts';

/** A project that can be served. */
export interface MeshService extends Service {
  readonly mesh: GatewayMesh;
}

export async function openService(
  config: Config,
  plan: Plan,
  guard: AddressGuard,
  log: Log,
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

/** How long and how much is borne from an upstream. */
export function upstreamLimits({ limits }: Config) {
  return {
    deadline: limits.upstreamTimeoutMs,
    connections: limits.upstreamConnections,
    bodySize: limits.upstreamBodyBytes,
  };
}
