import type { EntityPlanner } from '../edm-types/entity-plan.ts';
import type { TypeNames } from '../edm-types/schema-use.ts';
import type { Derivation } from '../operations/derivation.ts';
import type { Place } from '../sets/place.ts';
import type { CallableRegistry } from './callable-registry.ts';

/** Where functions and actions find what they need. */
export interface CallableContext {
  readonly derivation: Derivation;
  readonly types: TypeNames;
  readonly planner: EntityPlanner;
  readonly places: readonly Place[];
  /** The entity set of an entity type, by the identity of its schema. */
  readonly setOf: ReadonlyMap<string, string>;
  readonly registry: CallableRegistry;
}
