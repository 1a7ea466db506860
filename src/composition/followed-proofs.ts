import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, unwatchFile, watchFile, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { ParameterReport } from '../contract/api-report.ts';
import type { CallContext } from '../contract/exchange.ts';
import { GatewayError } from '../contract/gateway-error.ts';
import type { Log } from '../contract/log.ts';
import type { GatewayMesh } from '../mesh/mesh.ts';
import type { ServedPlan } from '../project/plan/plan.ts';
import { type ApiFolder, STATE_FOLDER } from '../registry/folder/api-folder.ts';
import { knownOutcomes, type ProbedLists, probeLists } from '../source/proofs/probe-lists.ts';
import { parseProofs, writeProofs } from '../source/proofs/proof-file.ts';

/** The lists of what serves. */
export type ServedLists = Omit<ProbedLists, 'api'>;

/** The proofs of a gateway, with those that `duogate probe` leaves for it. */
export interface FollowedProofs {
  /** Takes the lists that are served from now on; undefined if no parameter is tried out. */
  serve(lists: ServedLists | undefined): void;
  report(api: string, call: Pick<CallContext, 'principal'>): ParameterReport;
  /** Tries out the parameters of an API, unless that is done already, and returns at once. */
  start(api: string, call: CallContext): ParameterReport;
  forget(api: string): void;
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
  const running = new Set<string>();
  let lists: ServedLists | undefined;
  let forgotten = readProofs(file).forgottenAt;
  const look = (): void => {
    const { forgottenAt, proofs } = readProofs(file);
    if (forgottenAt > forgotten) lists?.proofs.forget();
    forgotten = Math.max(forgotten, forgottenAt);
    lists?.proofs.keep(proofs);
  };
  watchFile(file, { interval: LOOK_MS, persistent: false }, look);
  const report = (api: string, call: Pick<CallContext, 'principal'>): ParameterReport => ({
    isRunning: running.has(api),
    parameters: lists === undefined ? [] : knownOutcomes({ ...lists, api }, call),
  });
  const probe = async (probed: ProbedLists, api: string, call: CallContext): Promise<void> => {
    running.add(api);
    try {
      for await (const _ of probeLists(probed, { ...call, signal: closed.signal }));
    } catch (err) {
      if (!closed.signal.aborted)
        log.warn({ err, upstream: api }, 'the parameters of an API are not tried out');
    } finally {
      running.delete(api);
    }
  };
  return {
    serve(next) {
      lists = next;
      look();
    },
    report,
    start(api, call) {
      if (lists === undefined)
        throw new GatewayError('Conflict', 'No parameters are tried out: PUSH_DOWN is declared.');
      if (!running.has(api)) void probe({ ...lists, api }, api, call);
      return report(api, call);
    },
    forget: (api) => lists?.proofs.forget(api),
    close() {
      closed.abort();
      unwatchFile(file, look);
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

/** Leaves outcomes for the gateways of a project, beside those of other APIs that are there already. */
export function leaveProofs(folder: ApiFolder, { proofs }: Pick<ServedLists, 'proofs'>): void {
  const file = proofFile(folder);
  const earlier = readProofs(file);
  const found = proofs.kept();
  const names = new Set(found.map(({ identity, name }) => `${identity} ${name}`));
  const now = Date.now();
  const others = earlier.proofs.filter(
    ({ identity, name, subjects }) =>
      !names.has(`${identity} ${name}`) && subjects.some(([, , until]) => until > now),
  );
  writeFile(file, writeProofs({ ...earlier, proofs: [...others, ...found] }));
}

/** Has the gateways of a project forget all outcomes. */
export function forgetProofs(folder: ApiFolder): void {
  writeFile(proofFile(folder), writeProofs({ forgottenAt: Date.now(), proofs: [] }));
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
