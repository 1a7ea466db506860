import type { Arguments, Snapshot } from '../../contract/entity-source.ts';
import type { Value } from '../../contract/row.ts';
import { callOperation } from '../load/load.ts';
import type { Invocation } from '../resource/resource.ts';
import type { ChangeContext } from './compensation.ts';
import { assertPrecondition } from './precondition.ts';

/**
 * Calls an action with parameters by the model's names (Part 1, 11.5.5); what it is bound to has to be in the state that
 * the conditions name.
 */
export async function callAction(
  site: ChangeContext,
  bound: Invocation,
  parameters: Arguments,
): Promise<Snapshot<Value>> {
  if (bound.bound !== undefined) await assertPrecondition(site, bound.bound);
  return callOperation(site, bound, parameters);
}
