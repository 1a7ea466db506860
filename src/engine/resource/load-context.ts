import type {
  Arguments,
  CollectionSnapshot,
  EntitySource,
  ListPart,
  RowSink,
} from '../../contract/entity-source.ts';
import type { CallContext } from '../../contract/exchange.ts';
import type { ParameterTrust } from '../../contract/parameter-trust.ts';
import type { RequestBudget } from '../../contract/request-budget.ts';
import type { Row, Rows } from '../../contract/row.ts';
import type { EntityType } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import type { ListOperation, Operation, PagedListOperation } from '../../model/operation.ts';
import type { QueryResult } from '../query/pipeline.ts';
import type { AcceptRows, FixedArguments, ReadNeeds } from './read-needs.ts';

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
  /** Related entities that this read has loaded for some of its rows, so that the others do not load them again. */
  readonly seen?: SeenRelated | undefined;
}

/** Related entities that a read has loaded for its rows so far. */
export interface SeenRelated {
  /** By the call that loads them. */
  readonly found: Map<string, readonly Row[]>;
  /** All entities of a set, by its name and the properties. */
  readonly sets: Map<string, readonly Row[]>;
  /** The number of calls that this has taken, as planned. */
  calls: number;
}

/** A load request: the wanted entities and properties. */
export interface LoadRequest {
  readonly properties: readonly string[];
  readonly dynamic: boolean;
  /** True if the entity is sent back to the upstream, so that it must be complete. */
  readonly whole?: boolean;
  /** The query that the entities are read for, from which the plan of the read is made. */
  readonly needs?: ReadNeeds | undefined;
  /** The conditions of the query on entities of other sets. */
  readonly joined?: RelatedQuery | undefined;
  /** The arguments of the list that a key fixes. */
  readonly fixed?: FixedArguments;
  /** The list is read as the document declares it, by no other plan. */
  readonly isPlain?: boolean;
  /** The part of a list that is wanted, where it is not the one that is pushed. */
  readonly part?: ListPart | undefined;
  /** Selects entities of which one is enough. */
  readonly deciding?: AcceptRows | undefined;
  /** A page of the entities that meet the conditions, without those before and behind it. */
  readonly cut?: CutPage | undefined;
  /** Takes rows of a long list while it is read. */
  readonly sink?: LoadSink | undefined;
  /** The resources of related entities that are read afterwards. */
  readonly related?: readonly string[] | undefined;
}

/** A page of the entities of a list that meet the conditions of a query. */
export interface CutPage {
  /** Start of the page: {@link LoadedCollection.next} and {@link LoadedCollection.planned} of the page before; undefined for the first page. */
  readonly from: { readonly position: string; readonly planned: Arguments } | undefined;
  /** The number of entities, with those before the page; the last one only shows that the list goes on, if `isPeeking`. */
  readonly top: number;
  readonly isPeeking: boolean;
}

/** A sink that remembers whether it has taken rows: the list is then read by no other plan. */
export interface LoadSink extends RowSink {
  readonly hasTaken: boolean;
  /** The conditions of the query have been applied to the rows that it is given. */
  isSieved: boolean;
}

/** The conditions of a query on entities of other sets. */
export interface RelatedQuery {
  /** The conditions that can be asked for before the entities of the query. */
  readonly conditions: readonly RelatedCondition[];
  /** Selects the rows that meet all conditions of the query, by reading the entities that they are related to. */
  readonly accept: (loading: LoadContext, rows: Rows) => Promise<readonly Row[]>;
  /** Asks for the entities that meet some of the conditions; the query is then about their keys. */
  readonly ask: (loading: LoadContext, conditions: readonly RelatedCondition[]) => Promise<KeyedQuery>;
}

/** A condition on entities of one other set. */
export interface RelatedCondition {
  /** The name of the set. */
  readonly name: string;
  readonly entityType: EntityType;
  readonly operations: {
    readonly list: ListOperation;
    readonly page: PagedListOperation | undefined;
    readonly read: Operation | undefined;
  };
  /** The needs of the query over the other set. */
  readonly needs: ReadNeeds | undefined;
  /** The property that has the keys of the other entities. */
  readonly own: string;
  /** Whether the condition fails for an entity of the query that is related to none. */
  readonly isOfRelated: (loading: LoadContext) => Promise<boolean>;
}

/** A query whose conditions on related entities are conditions on their keys. */
export interface KeyedQuery {
  readonly needs: ReadNeeds;
  readonly accept: AcceptRows;
  /** No entity meets its conditions. */
  readonly isEmpty: boolean;
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
  /** The arguments that the list of a {@link CutPage} was read by; undefined if another plan has read all of the list. */
  readonly planned?: Arguments;
}
