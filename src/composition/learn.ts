import { dirname } from 'node:path';
import type { Config } from '../config/config.ts';
import { NO_DEVIATIONS } from '../contract/deviations.ts';
import type { ReadOutcome } from '../contract/improvements.ts';
import { UNRESTRICTED } from '../contract/principal.ts';
import { createTrials } from '../mesh/try-it/trials.ts';
import { createFileReader } from '../openapi/file-reader.ts';
import { overlayBeside, overlayFile } from '../openapi/overlay/overlay-document.ts';
import {
  differenceLines,
  learnActions,
  learnableReads,
  withActions,
} from '../project/learning/learn-overlay.ts';
import { readPlan } from '../project/plan/plan.ts';
import { preparedPlan, prepareProject } from '../project/plan/prepare-project.ts';
import { createAddressGuard, createHostList } from '../registry/address/address-guard.ts';
import { createLogger } from '../server/logger.ts';
import { suppliedBy } from '../sources/project-source.ts';
import { CLOSED_VAULT } from '../upstream/credentials/open-source-access.ts';
import { openService, upstreamLimits } from './mesh-service.ts';
import { sampleReads } from './sample-reads.ts';

/** The choice of what is learnt. */
export interface Learning {
  /** The name of one API; all of the project if undefined. */
  readonly api: string | undefined;
  /** One operation, by its id or its path. */
  readonly operation: string | undefined;
  /** Whether the APIs are called; if not, the calls are only listed. */
  readonly calls: boolean;
}

/** The outcome for one API. */
export interface Learnt {
  readonly api: string;
  /** The reads, and what became of each. */
  readonly reads: readonly ReadOutcome[];
  /** The change of the overlay, as a difference. */
  readonly difference: readonly string[];
  /** The overlay and its new text; undefined if nothing was learnt. */
  readonly overlay: { readonly file: string; readonly text: string } | undefined;
}

/** Learns the schemas of answers from calls of the project's APIs, by GET requests with the project's credentials. */
export async function* learnProject(
  config: Config,
  { api, operation, calls }: Learning,
): AsyncGenerator<Learnt> {
  const place = { file: config.meshConfig, environment: config.meshEnvironment };
  const { project, descriptions } = readPlan(place, createFileReader(dirname(config.meshConfig)));
  const log = createLogger({ level: 'silent' });
  const guard = createAddressGuard({ hosts: createHostList(config.registryHosts) });
  const dependencies = { guard, log, vault: CLOSED_VAULT, deviations: NO_DEVIATIONS };
  const { mesh, destroy } = await openService(
    config,
    preparedPlan(await prepareProject(place)),
    dependencies,
  );
  // An API of the mesh is called with the headers of its source.
  const names = { applicationName: '', gatewayApiName: '' };
  const connector = (timeout: number) => guard.connector(timeout);
  const trials = createTrials({ limits: upstreamLimits(config), log, connector, names });
  const call = { id: 'learn', principal: UNRESTRICTED, signal: new AbortController().signal };
  try {
    for (const source of project.sources) {
      const description = descriptions.get(source.name);
      if (description === undefined || (api !== undefined && api !== source.name)) continue;
      const before = overlayBeside(source.document)?.text;
      const supplied = suppliedBy(source);
      const reads = learnableReads(description, before, supplied).filter(
        ({ operationId, path }) => operation === undefined || operation === operationId || operation === path,
      );
      const target = { name: source.name, serviceUrl: source.endpoint, mesh };
      const { samples, outcomes } = calls
        ? await sampleReads(reads, (request) => trials.send(target, request, call))
        : { samples: [], outcomes: reads.map(({ path }) => ({ path, outcome: 'would be called' })) };
      const actions = learnActions(description, before, supplied, samples);
      const file = overlayFile(source.document);
      yield {
        api: source.name,
        reads: outcomes,
        difference: actions.flatMap(differenceLines),
        overlay:
          actions.length === 0
            ? undefined
            : { file, text: withActions(before, source.document.replace(/^.*[\\/]/, ''), actions) },
      };
    }
  } finally {
    await trials.close();
    await destroy();
  }
}
