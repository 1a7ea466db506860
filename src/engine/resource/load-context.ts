import type { Arguments, EntitySource, ListPart } from '../../contract/entity-source.ts';
import type { CallContext } from '../../contract/exchange.ts';
import type { ParameterTrust } from '../../contract/parameter-trust.ts';
import type { RequestBudget } from '../../contract/request-budget.ts';
import type { Model } from '../../model/model.ts';

/** What entities are loaded from: the model that names them, and where their data comes from. */
export interface EntityService {
  readonly model: Model;
  readonly source: EntitySource;
  /** Without it, parameters are used only as the document declares them. */
  readonly trust?: ParameterTrust | undefined;
}

/** What entities are loaded with, for one request. */
export interface LoadContext {
  readonly service: EntityService;
  readonly context: CallContext & { readonly budget: RequestBudget };
}

/** What a load is asked for: which of the entities, and what of each. */
export interface LoadRequest {
  readonly properties: readonly string[];
  readonly dynamic: boolean;
  /** Whether the entity goes back to the upstream, so that nothing may be left out of it. */
  readonly whole?: boolean;
  /** What the upstream is asked to do of the query; of the type of the collection, and without a type cast. */
  readonly pushed?: PushDown | undefined;
  /** What the list's own parameters are given, where nothing but the query or a key can give them. */
  readonly fixed?: FixedArguments;
  /** The part of a list that is wanted, where it is not the one that is pushed. */
  readonly part?: ListPart | undefined;
  /** The resources of related entities that are read afterwards. */
  readonly related?: readonly string[] | undefined;
}

/**
 * What of a query the upstream is asked to do: it answers with less, and the rest is applied to that. All
 * options are applied again but those that say so.
 */
export interface PushDown {
  /** For the list operation's parameters that filter and order. */
  readonly arguments: Arguments;
  /** The part of the list that `$top` and `$skip` leave; undefined where all of it is wanted. */
  readonly part: ListPart | undefined;
  /** `$top` and `$skip` are then done, and `$count` is the total of the list. */
  readonly isPaged: boolean;
  /** `$count` asks for that total. */
  readonly isCounted: boolean;
  /** No option needs all of the list: an answer may begin with a page of it, and lead on from there. */
  readonly goesOn: boolean;
  /** The document tells of pages. What says nothing of them is mostly whole on its first one. */
  readonly tellsPages: boolean;
}

/** What a list operation is called with, once for each; undefined where a filter leaves open what it must fix. */
export type FixedArguments = readonly Arguments[] | undefined;
