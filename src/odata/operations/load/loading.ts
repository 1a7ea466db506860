import type { ListPart } from '../../../contract/entity-source.ts';
import type { CallContext } from '../../../contract/exchange.ts';
import type { RequestBudget } from '../../../contract/request-budget.ts';
import type { NestedPages } from '../paging/nested-pages.ts';
import type { Service } from '../service.ts';
import type { FixedArguments } from './fixed-arguments.ts';
import type { PushDown } from './push-down.ts';

/** What is wanted of the entities that are loaded. */
export interface Wanted {
  readonly properties: readonly string[];
  readonly dynamic: boolean;
  /** What the upstream is asked to do of the query; of the type of the collection, and without a type cast. */
  readonly pushed?: PushDown | undefined;
  /** What the list's own parameters are given, where nothing but the query or a key can give them. */
  readonly fixed?: FixedArguments;
  /** The part of a list that is wanted, where it is not the one that is pushed. */
  readonly part?: ListPart | undefined;
  /** The resources of related entities that are read afterwards. */
  readonly related?: readonly string[] | undefined;
}

/** Loads entities for one request. */
export interface Loading {
  readonly service: Pick<Service, 'model' | 'source'>;
  readonly context: CallContext & { readonly budget: RequestBudget };
  /** Where the answer may show parts of the collections within it; they are whole without. */
  readonly pages?: NestedPages;
}
