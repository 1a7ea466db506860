import type { CollectionSnapshot, EntitySource, ListPart, RowSink } from '../../contract/entity-source.ts';
import type { CallContext } from '../../contract/exchange.ts';
import type { ParameterTrust } from '../../contract/parameter-trust.ts';
import type { RequestBudget } from '../../contract/request-budget.ts';
import type { Model } from '../../model/model.ts';
import type { QueryResult } from '../query/pipeline.ts';
import type { FixedArguments, ReadNeeds } from './read-needs.ts';

/** The model and the source of entities. */
export interface EntityService {
  readonly model: Model;
  readonly source: EntitySource;
  /** Without it, parameters are used only as the document declares them. */
  readonly trust?: ParameterTrust | undefined;
}

/** The context of loading entities for one request. */
export interface LoadContext {
  readonly service: EntityService;
  readonly context: CallContext & { readonly budget: RequestBudget };
}

/** A load request: the wanted entities and properties. */
export interface LoadRequest {
  readonly properties: readonly string[];
  readonly dynamic: boolean;
  /** True if the entity is sent back to the upstream, so that it must be complete. */
  readonly whole?: boolean;
  /** The query that the entities are read for, from which the plan of the read is made. */
  readonly needs?: ReadNeeds | undefined;
  /** The arguments of the list that a key fixes. */
  readonly fixed?: FixedArguments;
  /** The list is read as the document declares it, by no other plan. */
  readonly isPlain?: boolean;
  /** The part of a list that is wanted, where it is not the one that is pushed. */
  readonly part?: ListPart | undefined;
  /** Takes rows of a long list while it is read. */
  readonly sink?: LoadSink | undefined;
  /** The resources of related entities that are read afterwards. */
  readonly related?: readonly string[] | undefined;
}

/** A sink that remembers whether it has taken rows: the list is then read by no other plan. */
export interface LoadSink extends RowSink {
  readonly hasTaken: boolean;
}

/** Entities of a collection, and what has been applied to them. */
export interface LoadedCollection extends CollectionSnapshot {
  /** The rows have what the list lacks: they were read by key. */
  readonly isComplete?: boolean;
  /** The rows are the only ones that the query is about: `total` is the number of entities that meet its conditions. */
  readonly isCounted?: boolean;
  /** The result of the query, which was run while the list was read. */
  readonly result?: QueryResult;
  /** The conditions of the query have been applied to the rows. */
  readonly isSieved?: boolean;
}
