import type { EntityType } from '../../model/edm.ts';
import { isInsertable } from '../../model/linked-insert.ts';
import type { InsertOperation } from '../../model/operation.ts';
import type { EntityInput } from '../input/entity-input.ts';
import { boundInput } from './bound-input.ts';
import type { Changing } from './compensation.ts';
import { withOmitted } from './omitted-values.ts';

/** What a create sends: with the foreign keys of what it refers to, and what it leaves out. */
export async function completeInput(
  site: Changing,
  operation: InsertOperation,
  input: EntityInput,
): Promise<EntityInput> {
  const isSettable = (of: EntityType, name: string) => isInsertable(of, operation, name);
  const bound = await boundInput({ site, isSettable, sent: operation.sent }, input);
  return withOmitted(operation, bound);
}
