import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, unwatchFile, watchFile, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { ParameterReport, RelationReport } from '../contract/api-report.ts';
import type { CallContext } from '../contract/exchange.ts';
import { GatewayError } from '../contract/gateway-error.ts';
import type { Log } from '../contract/log.ts';
import type { GatewayMesh } from '../mesh/mesh.ts';
import type { ServedPlan } from '../project/plan/plan.ts';
import { type ApiFolder, STATE_FOLDER } from '../registry/folder/api-folder.ts';
import { knownOutcomes, type ProbedLists, probeLists } from '../source/proofs/probe-lists.ts';
import { knownRelations, type ProbedRelations, probeRelations } from '../source/proofs/probe-relations.ts';
import { parseProofs, writeProofs } from '../source/proofs/proof-file.ts';
import type { KeptRelationProof, RelationProofs } from '../source/proofs/relation-proofs.ts';

/** The lists of what serves. */
export type ServedLists = Omit<ProbedLists, 'api'>;

/** The checks of an API's data on demand. */
interface Checks<Report> {
  report(api: string, call: Pick<CallContext, 'principal'>): Report;
  /** Begins the checks of an API, unless they are running already, and returns at once. */
  start(api: string, call: CallContext): Report;
  forget(api: string): void;
}

/** The proofs of a gateway, with those that `duogate probe` leaves for it. */
export interface FollowedProofs {
  /** Takes what is served from now on; `lists` is undefined if no parameter is tried out. */
  serve(lists: ServedLists | undefined, relations: ProbedRelations): void;
  readonly parameters: Checks<ParameterReport>;
  readonly relations: Checks<RelationReport>;
  close(): void;
}

/** File systems of networks report no changes of other machines: the file is looked at every few seconds. */
const LOOK_MS = 2_000;

/** The file beside the project in which `duogate probe` leaves what it has found. */
function proofFile({ root }: ApiFolder): string {
  const folder = basename(root) === STATE_FOLDER ? root : join(root, STATE_FOLDER);
  return join(folder, 'parameters.json');
}

export function followProofs(folder: ApiFolder, log: Log): FollowedProofs {
  const file = proofFile(folder);
  const closed = new AbortController();
  let lists: ServedLists | undefined;
  let related: ProbedRelations | undefined;
  let forgotten = readProofs(file).forgottenAt;
  const look = (): void => {
    const { forgottenAt, proofs, relations } = readProofs(file);
    if (forgottenAt > forgotten) {
      lists?.proofs.forget();
      related?.proofs.forget();
    }
    forgotten = Math.max(forgotten, forgottenAt);
    lists?.proofs.keep(proofs);
    related?.proofs.keep(relations);
  };
  watchFile(file, { interval: LOOK_MS, persistent: false }, look);
  const running = (what: string) => runningChecks(log, closed.signal, what);
  const [ofParameters, ofRelations] = [running('parameters'), running('relations')];
  const parameters = (api: string, call: Pick<CallContext, 'principal'>): ParameterReport => ({
    isRunning: ofParameters.has(api),
    parameters: lists === undefined ? [] : knownOutcomes({ ...lists, api }, call),
  });
  const relations = (api: string, call: Pick<CallContext, 'principal'>): RelationReport => ({
    isRunning: ofRelations.has(api),
    relations: related === undefined ? [] : knownRelations(related, api, call),
  });
  return {
    serve(next, nextRelated) {
      lists = next;
      // A decision about one relation leaves the outcomes of others as they are.
      nextRelated.proofs.keep(related?.proofs.kept() ?? []);
      related = nextRelated;
      look();
    },
    parameters: {
      report: parameters,
      start(api, call) {
        if (lists === undefined)
          throw new GatewayError('Conflict', 'No parameters are tried out: PUSH_DOWN is declared.');
        const probed = { ...lists, api };
        ofParameters.run(api, (signal) => probeLists(probed, { ...call, signal }));
        return parameters(api, call);
      },
      forget: (api) => lists?.proofs.forget(api),
    },
    relations: {
      report: relations,
      start(api, call) {
        const probed = related;
        if (probed !== undefined)
          ofRelations.run(api, (signal) => probeRelations(probed, api, { ...call, signal }));
        return relations(api, call);
      },
      forget: (api) => related?.proofs.forget(api),
    },
    close() {
      closed.abort();
      unwatchFile(file, look);
    },
  };
}

/** Runs checks of APIs, at most one of each API at a time, until they are cancelled. */
function runningChecks(log: Log, cancelled: AbortSignal, what: string) {
  const running = new Set<string>();
  const finish = async (api: string, checks: AsyncIterable<unknown>): Promise<void> => {
    try {
      for await (const _ of checks);
    } catch (err) {
      if (!cancelled.aborted) log.warn({ err, upstream: api }, `the ${what} of an API are not tried out`);
    } finally {
      running.delete(api);
    }
  };
  return {
    has: (api: string) => running.has(api),
    run(api: string, begin: (signal: AbortSignal) => AsyncIterable<unknown>): void {
      if (running.has(api)) return;
      running.add(api);
      void finish(api, begin(cancelled));
    },
  };
}

function readProofs(file: string): ReturnType<typeof parseProofs> {
  try {
    return parseProofs(readFileSync(file, 'utf8'));
  } catch {
    return parseProofs('');
  }
}

/** The outcomes for relations that `duogate probe` has left for a project. */
export function leftRelationProofs(folder: ApiFolder): readonly KeptRelationProof[] {
  return readProofs(proofFile(folder)).relations;
}

/** Leaves outcomes for the gateways of a project, beside those of other APIs that are there already. */
export function leaveProofs(
  folder: ApiFolder,
  { proofs }: Pick<ServedLists, 'proofs'>,
  relations: RelationProofs,
): void {
  const file = proofFile(folder);
  const earlier = readProofs(file);
  const found = proofs.kept();
  const names = new Set(found.map(({ identity, name }) => `${identity} ${name}`));
  const now = Date.now();
  const others = earlier.proofs.filter(
    ({ identity, name, subjects }) =>
      !names.has(`${identity} ${name}`) && subjects.some(([, , until]) => until > now),
  );
  const related = relations.kept();
  const identities = new Set(related.map(({ identity }) => identity));
  const otherRelated = earlier.relations.filter(({ identity }) => !identities.has(identity));
  const left = { proofs: [...others, ...found], relations: [...otherRelated, ...related] };
  writeFile(file, writeProofs({ ...earlier, ...left }));
}

/** Has the gateways of a project forget all outcomes. */
export function forgetProofs(folder: ApiFolder): void {
  writeFile(proofFile(folder), writeProofs({ forgottenAt: Date.now(), proofs: [], relations: [] }));
}

function writeFile(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  const whole = `${file}.${process.pid}`;
  writeFileSync(whole, text, { mode: 0o600 });
  renameSync(whole, file);
}

/** Identifies the APIs of a project for proofs: by their address, document and credential. */
export function proofIdentities(
  mesh: Pick<GatewayMesh, 'upstreamOf'>,
  { documents }: Pick<ServedPlan, 'documents'>,
): (source: string) => string {
  const known = new Map<string, string>();
  return (name) => {
    const source = mesh.upstreamOf(name)?.source;
    const identity =
      known.get(name) ??
      hash('sha256', JSON.stringify([{ ...source, document: '' }, documents.get(name)]), 'base64url').slice(
        0,
        22,
      );
    known.set(name, identity);
    return identity;
  };
}
