import { GatewayError } from '../contract/gateway-error.ts';
import { findEntry } from './apis/registry.ts';
import type { ChangeDependencies } from './apis/store-changes.ts';
import { findState, presentState } from './history/api-history.ts';
import { type ApiState, PARTS, type RecordedChange } from './history/earlier-state.ts';
import { type Replacement, replaceApi } from './replace-api.ts';

/** The number of the state that is to be brought back. */
interface RestoreOrder extends Pick<RecordedChange, 'by'> {
  readonly state: number;
  readonly confirmed: readonly string[];
}

/**
 * Replaces an API by an earlier state of it, under the same rules as by anything else. Whether it is in the project
 * stays as it is.
 */
export async function restoreApi(
  ground: ChangeDependencies,
  name: string,
  { state, by, confirmed }: RestoreOrder,
): Promise<void> {
  const entry = findEntry(ground, name);
  const { before } = findState(ground.folder, name, state);
  const replacement = differences(presentState(entry), before);
  if (Object.keys(replacement).length === 0) {
    throw new GatewayError('Conflict', `${name} is as it was in state ${state} already.`, {
      target: 'state',
    });
  }
  await replaceApi(ground, name, replacement, { by, confirmed });
}

/** What is the same is not replaced: it may not be the registry's to change. */
function differences(present: ApiState | undefined, before: ApiState): Replacement {
  const differing = PARTS.filter((part) => present?.[part] !== before[part]);
  return Object.fromEntries(differing.map((part) => [part, before[part]]));
}
