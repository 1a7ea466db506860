import type { Config } from '../config/config.ts';
import { NO_DEVIATIONS } from '../contract/deviations.ts';
import { preparedPlan, prepareProject } from '../project/plan/prepare-project.ts';
import { createAddressGuard, createHostList } from '../registry/address/address-guard.ts';
import { createLogger } from '../server/logger.ts';
import { createEntitySource } from '../source/entity-source.ts';
import { ParameterProofs } from '../source/proofs/parameter-proofs.ts';
import { type ProbedParameter, probeLists } from '../source/proofs/probe-lists.ts';
import { CLOSED_VAULT } from '../upstream/credentials/open-source-access.ts';
import { openService } from './mesh-service.ts';

/** Tries out the parameters of the project's lists with the project's own credentials. */
export async function* probeProject(config: Config): AsyncGenerator<ProbedParameter> {
  const log = createLogger({ level: 'silent' });
  const guard = createAddressGuard({ hosts: createHostList(config.registryHosts) });
  const place = { file: config.meshConfig, environment: config.meshEnvironment };
  const prepared = preparedPlan(await prepareProject(place));
  const dependencies = { guard, log, vault: CLOSED_VAULT, deviations: NO_DEVIATIONS };
  const { mesh, plan, destroy } = await openService(config, prepared, dependencies);
  try {
    const source = createEntitySource({ mesh, model: plan.model, pages: config.limits.pages });
    const proofs = new ParameterProofs({ model: plan.model, isPersonal: () => false, log });
    yield* probeLists(proofs, source, plan.model);
  } finally {
    await destroy();
  }
}
