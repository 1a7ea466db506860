import { Secret } from '../../core/secret.ts';
import type { ProjectSource } from '../../sources/project-source.ts';
import type { ProjectState } from '../plan/prepare-project.ts';

/** The state of a project for another thread; secrets would otherwise be lost in the transfer. */
export interface SealedState {
  /** The access settings must be read through {@link openState}. */
  readonly state: ProjectState;
}

export function sealState(state: ProjectState): SealedState {
  return { state: withAccess(state, (value) => (value instanceof Secret ? sealed(value) : value)) };
}

export function openState({ state }: SealedState): ProjectState {
  return withAccess(state, (value) => (value instanceof Map ? opened(value) : value));
}

/** A secret is encoded as a map, which the settings do not contain otherwise. */
function sealed(secret: Secret): ReadonlyMap<string, string> {
  return new Map([['secret', secret.reveal()]]);
}

function opened(map: ReadonlyMap<unknown, unknown>): Secret {
  return new Secret(String(map.get('secret')));
}

type Change = (value: unknown) => unknown;

function withAccess(state: ProjectState, change: Change): ProjectState {
  if (state.kind === 'mistake') return state;
  const { plan } = state.prepared;
  const sources = plan.project.sources.map((source) => ({
    ...source,
    access: changed(source.access, change) as ProjectSource['access'],
  }));
  const project = { ...plan.project, sources };
  return { ...state, prepared: { ...state.prepared, plan: { ...plan, project } } };
}

/** Replaces values in the settings: objects, lists, texts and secrets. */
function changed(value: unknown, change: Change): unknown {
  const own = change(value);
  if (own !== value || typeof own !== 'object' || own === null) return own;
  if (Array.isArray(own)) return own.map((item) => changed(item, change));
  return Object.fromEntries(Object.entries(own).map(([name, member]) => [name, changed(member, change)]));
}
