import type { Row } from '../../contract/row.ts';
import type { NestedChange } from '../input/entity-input.ts';
import type { EntityResource } from '../resource/resource.ts';
import type { Changing, CompletedChange } from './compensation.ts';

/** Something that is done upstream once all is checked; it notes what it has done. */
export type Step = (done: CompletedChange[]) => Promise<void>;

/** A change of an entity with what goes with it. All of it is checked, and nothing sent yet. */
export interface PlannedUpdate {
  /** The entity as it is then, where the upstream says so and nothing follows. */
  readonly run: (done: CompletedChange[]) => Promise<Row | undefined>;
}

/** How an entity that is there is changed with another one. */
export type PlanNested = (
  site: Changing,
  entity: EntityResource,
  change: NestedChange,
) => Promise<PlannedUpdate>;
