import type { WrittenLink } from './entity-input.ts';
import type { InputObject } from './mistakes.ts';
import type { Placed } from './reading.ts';

interface RelationParts {
  readonly created?: readonly Placed<InputObject>[] | undefined;
  readonly linked?: readonly WrittenLink[] | undefined;
  readonly unlinked?: readonly WrittenLink[] | undefined;
  /** The links replace all present ones. */
  readonly isWhole?: boolean;
}

/**
 * Changes of related entities, each by its own word. Entities that it does not mention stay as they are, where an array or
 * an object of JSON (JSON Format 4.01, 8.5) would be all that is related.
 */
export class RelationInput {
  readonly created: readonly Placed<InputObject>[];
  readonly linked: readonly WrittenLink[];
  readonly unlinked: readonly WrittenLink[];
  readonly isWhole: boolean;

  constructor({ created = [], linked = [], unlinked = [], isWhole = false }: RelationParts) {
    this.created = created;
    this.linked = linked;
    this.unlinked = unlinked;
    this.isWhole = isWhole;
  }
}
