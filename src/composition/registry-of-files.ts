import { type Config, localUrl } from '../config/config.ts';
import { NO_DEVIATIONS } from '../contract/deviations.ts';
import { CLOSED_VAULT } from '../mesh/credentials/closed-vault.ts';
import { overlayWithGrants } from '../project/access/overlay-grants.ts';
import { examineDocument } from '../project/examination/examine-document.ts';
import type { Examiner } from '../project/examination/examiner.ts';
import { refuseLostSources } from '../project/follow-project.ts';
import { preparedPlan, prepareProject } from '../project/plan/prepare-project.ts';
import { createAddressGuard } from '../registry/address/address-guard.ts';
import { createHostList } from '../registry/address/host-list.ts';
import { createLogger } from '../server/logger.ts';
import { openService } from './mesh-service.ts';
import { openRegistry, type ProjectRegistry, type RegistryProject } from './registry.ts';

/** Opens the registry of APIs on the project's files. Throws what is wrong with them. */
export async function openRegistryOfFiles(config: Config, needsGrants: boolean): Promise<ProjectRegistry> {
  const log = createLogger({ level: 'silent' });
  const place = { file: config.meshConfig, environment: config.meshEnvironment };
  const guard = createAddressGuard({ hosts: createHostList(config.registryHosts) });
  const ground = { guard, log, vault: CLOSED_VAULT, deviations: NO_DEVIATIONS };
  const open = async () => openService(config, preparedPlan(await prepareProject(place)), ground);
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
    {
      config,
      log,
      guard,
      needsGrants,
      examiner: DIRECT_EXAMINER,
      baseUrl: localUrl(config.host, config.port),
    },
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
const DIRECT_EXAMINER: Examiner = {
  examine: examineDocument,
  grant: async (texts, rows) => overlayWithGrants(texts, rows).text,
  prepare: prepareProject,
  close: () => undefined,
};
