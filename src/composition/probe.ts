import type { Config } from '../config/config.ts';
import type { ParameterOutcome, RelationOutcome } from '../contract/api-report.ts';
import { NO_DEVIATIONS } from '../contract/deviations.ts';
import { UNRESTRICTED } from '../contract/principal.ts';
import { preparedPlan, prepareProject } from '../project/plan/prepare-project.ts';
import { createAddressGuard, createHostList } from '../registry/address/address-guard.ts';
import { apiFolder } from '../registry/folder/api-folder.ts';
import { createLogger } from '../server/logger.ts';
import { createEntitySource } from '../source/entity-source.ts';
import { ParameterProofs } from '../source/proofs/parameter-proofs.ts';
import { probeLists } from '../source/proofs/probe-lists.ts';
import { probeRelations } from '../source/proofs/probe-relations.ts';
import { RelationProofs } from '../source/proofs/relation-proofs.ts';
import { CLOSED_VAULT } from '../upstream/credentials/open-source-access.ts';
import { forgetProofs, leaveProofs, proofIdentities } from './followed-proofs.ts';
import { openService } from './mesh-service.ts';

/** Has the gateways of the project forget what parameters do. */
export function forgetParameters({ meshConfig }: Pick<Config, 'meshConfig'>): void {
  forgetProofs(apiFolder(meshConfig));
}

/**
 * Tries out the parameters of the project's lists, and looks up values of its relations, with the project's own
 * credentials, and leaves the outcomes for the gateways of the project.
 */
export async function* probeProject(config: Config): AsyncGenerator<ParameterOutcome | RelationOutcome> {
  const log = createLogger({ level: 'silent' });
  const guard = createAddressGuard({ hosts: createHostList(config.registryHosts) });
  const place = { file: config.meshConfig, environment: config.meshEnvironment };
  const prepared = preparedPlan(await prepareProject(place));
  const dependencies = { guard, log, vault: CLOSED_VAULT, deviations: NO_DEVIATIONS };
  const { mesh, plan, destroy } = await openService(config, prepared, dependencies);
  try {
    const source = createEntitySource({ mesh, model: plan.model, pages: config.limits.pages });
    const { model } = plan;
    const identityOf = proofIdentities(mesh, plan);
    const proofs = new ParameterProofs({ model, isPersonal: () => false, identityOf, log });
    const call = { id: 'probe', principal: UNRESTRICTED, signal: new AbortController().signal };
    yield* probeLists({ proofs, source, model, api: undefined }, call);
    const relations = new RelationProofs({ isPersonal: () => false, identityOf });
    yield* probeRelations({ proofs: relations, source, model, relations: plan.relations }, undefined, call);
    leaveProofs(apiFolder(config.meshConfig), { proofs }, relations);
  } finally {
    await destroy();
  }
}
