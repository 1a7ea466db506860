import type { Config } from '../config/config.ts';
import { NO_DEVIATIONS } from '../contract/deviations.ts';
import { GatewayError } from '../contract/gateway-error.ts';
import { UNRESTRICTED } from '../contract/principal.ts';
import { createTrials } from '../mesh/try-it/trials.ts';
import { createFileReader } from '../openapi/file-reader.ts';
import { overlayBeside, overlayFile } from '../openapi/overlay/overlay-document.ts';
import {
  differenceLines,
  itemValue,
  type LearnableRead,
  type LearntAnswer,
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
import { entityPathIn, listPathIn } from '../upstream/reading/unknown-shape.ts';
import { openService, upstreamLimits } from './mesh-service.ts';

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
  readonly reads: readonly { readonly path: string; readonly outcome: string }[];
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
  const { project, descriptions } = readPlan(place, createFileReader());
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
      const reads = learnableReads(description, before, suppliedBy(source)).filter(
        ({ operation: { operationId, writtenPath } }) =>
          operation === undefined || operation === operationId || operation === writtenPath,
      );
      const send = async (path: string) => {
        const request = { method: 'GET', path, headers: { accept: 'application/json' }, body: undefined };
        const { status, body } = await trials.send(
          { name: source.name, serviceUrl: source.endpoint, mesh },
          request,
          call,
        );
        if (status < 200 || status > 299)
          throw new UnusableAnswer(`the API answered with the status ${status}`);
        return JSON.parse(Buffer.from(body).toString()) as unknown;
      };
      const { answers, outcomes } = calls
        ? await callReads(reads, send)
        : {
            answers: [],
            outcomes: reads.map(({ operation: { writtenPath } }) => ({
              path: writtenPath,
              outcome: 'would be called',
            })),
          };
      const actions = learnActions(description, before, answers);
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

/** Lists first: they give the keys that single entities are asked for by. */
async function callReads(
  reads: readonly LearnableRead[],
  send: (path: string) => Promise<unknown>,
): Promise<{ readonly answers: readonly LearntAnswer[]; readonly outcomes: Learnt['reads'] }> {
  const answers: LearntAnswer[] = [];
  const outcomes: { path: string; outcome: string }[] = [];
  const rows = new Map<string, readonly unknown[]>();
  const ordered = reads.toSorted((a, b) => a.operation.segments.length - b.operation.segments.length);
  for (const read of ordered) {
    const { path, writtenPath, segments } = read.operation;
    const parameter = segments.at(-1);
    const isItem = parameter?.kind === 'parameter';
    const key = isItem ? itemValue(rows.get(path.replace(/\/[^/]*\/?$/, '')) ?? [], parameter.name) : '';
    if (key === undefined) {
      outcomes.push({ path: writtenPath, outcome: 'not called: no list has a key for it' });
      continue;
    }
    const { answer, reason } = await attempt(() => send(path.replace(/\{[^{}]*\}/, encodeURIComponent(key))));
    outcomes.push({ path: writtenPath, outcome: reason === undefined ? 'learnt' : `not learnt: ${reason}` });
    if (reason !== undefined) continue;
    const list = isItem ? [] : listPathIn(answer);
    const isList = !isItem && (Array.isArray(answer) || list.length > 0);
    const place = isList ? list : entityPathIn(answer);
    answers.push({ ...read, answer, path: place });
    if (isList) rows.set(path.replace(/\/$/, ''), rowsIn(answer, place));
  }
  return { answers, outcomes };
}

function rowsIn(answer: unknown, path: readonly string[]): readonly unknown[] {
  const found = path.reduce<unknown>((inner, name) => Reflect.get(inner as object, name), answer);
  return Array.isArray(found) ? found : [];
}

class UnusableAnswer extends Error {}

interface Attempt {
  readonly answer?: unknown;
  /** Set if there is no answer to learn from. */
  readonly reason?: string;
}

async function attempt(send: () => Promise<unknown>): Promise<Attempt> {
  try {
    const answer = await send();
    const isData = typeof answer === 'object' && answer !== null;
    return isData ? { answer } : { reason: 'the answer is neither a list nor an object' };
  } catch (error) {
    if (error instanceof SyntaxError) return { reason: 'the answer is no JSON' };
    if (error instanceof UnusableAnswer || error instanceof GatewayError) return { reason: error.message };
    throw error;
  }
}
