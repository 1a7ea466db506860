import type { FragmentDefinitionNode, GraphQLResolveInfo, GraphQLSchema } from 'graphql';
import type { Plugin, YogaInitialContext } from 'graphql-yoga';
import type { EntitySource } from '../../contract/entity-source.ts';
import type { BudgetedRequest } from '../../contract/exchange.ts';
import type { GatewayError } from '../../contract/gateway-error.ts';
import type { Log } from '../../contract/log.ts';
import type { ParameterTrust } from '../../contract/parameter-trust.ts';
import type { Principal } from '../../contract/principal.ts';
import type { RequestBudget } from '../../contract/request-budget.ts';
import type { Row } from '../../contract/row.ts';
import { ExactNumber } from '../../core/exact-number.ts';
import type { LimitsOf, RequestLimits } from '../../core/request-limits.ts';
import { nextTurn, spend } from '../../core/work.ts';
import type { Expression } from '../../engine/tree/query-tree.ts';
import type { EntityType } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import type { Permission } from '../../model/permission.ts';
import type { ShownModel } from './schema-names.ts';

/** What queries are asked of. */
export interface QueryService {
  readonly model: Model;
  /** The entities, behind the permissions of whoever asks. */
  readonly source: EntitySource;
  readonly trust?: ParameterTrust | undefined;
  readonly limits: QueryLimits;
  readonly log: Log;
}

/** What resolvers know of the request and of the service. */
export interface GraphQLContext {
  readonly service: QueryService;
  readonly call: BudgetedRequest;
  /** The parameters of the request as they were read. */
  readonly params?: unknown;
  /** When the objects of the answer are completed. */
  readonly completionTurns: CompletionTurns;
  /** Who asks, once that has been asked. */
  readonly currentUser?: Principal;
  /** What reading the document's only field has failed with already. */
  readonly failed?: GatewayError | undefined;
  /** What the selection below a field is made into queries with. */
  readonly dependencies: (info: GraphQLResolveInfo) => SelectionDependencies;
  /** The public URL of an entity's stream; of its own one where no name is given. */
  readonly streamUrl: (type: EntityType, row: Row, name: string | undefined) => string | null;
}

/** A value of an input, with names as GraphQL has them. */
export type Input = Readonly<Record<string, unknown>>;

/** Whether an argument says something: null stands for nothing. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** What is given under a name; what all objects inherit under it is not. */
export function givenUnder(input: Input, name: string): unknown {
  return Object.hasOwn(input, name) ? input[name] : undefined;
}

/**
 * Values of JSON whose objects inherit nothing. Executors read the fields of an input from a variable by their names,
 * and would take what all objects have under `constructor` for given.
 */
export function withoutInherited(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutInherited);
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return value;
  const members = Object.entries(value).map(([name, each]) => [name, withoutInherited(each)] as const);
  return Object.assign(Object.create(null), Object.fromEntries(members));
}

/** What a document says beside its fields, as a resolver is told of it. */
export interface RequestedDocument {
  readonly schema: GraphQLSchema;
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  readonly variableValues: Readonly<Record<string, unknown>>;
}

/** One value that entities are sorted by. */
export interface OrderItem {
  /** The names in the model that lead to it. */
  readonly names: readonly string[];
  /** Its primitive type, or that of the names of an enumeration's members. */
  readonly type: string;
  readonly descending: boolean;
}

/** Cursors of the Relay specification: each says by which values its entity stands where it does in the order. */
export interface Cursors {
  write(ordering: Ordering, row: Row): string;
  /**
   * The condition that entities behind the cursor meet, in that order. One that is not ours, or another list's, is a
   * BadRequest.
   */
  behind(ordering: Ordering, cursor: unknown, argument: 'after' | 'before'): Expression;
}

/** An order that no two entities share a place in: what the client has asked for, and then the key. */
export interface Ordering {
  /** The list: its type, and what its entities are sorted by. */
  readonly list: string;
  readonly items: readonly OrderItem[];
  /** Where a row has the value of each. */
  readonly names: readonly string[];
}

/** What selections are made into queries with. */
export interface SelectionDependencies {
  readonly shown: ShownModel;
  readonly limits: { readonly url: LimitsOf<'url'> };
  readonly cursors: Cursors;
  readonly asked: RequestedDocument;
  /** How many relations this selection lies in. */
  readonly depth: number;
}

/** The limits of a document, and of what its answer comes to. */
export type GraphQLLimits = Pick<RequestLimits, 'graphql' | 'url' | 'budget'>;

/** The limits of what the arguments and selections of a document come to: those of OData's query options. */
interface QueryLimits {
  readonly url: LimitsOf<'url'>;
  readonly query: { readonly nodes: number; readonly budget: LimitsOf<'budget'> };
  readonly budget: LimitsOf<'budget'>;
}

/** A query may come to so many times what one of its arguments may be. */
const USES = 10;

export function queryLimits({ url, budget }: GraphQLLimits): QueryLimits {
  return { url, budget, query: { nodes: USES * url.nodes, budget } };
}

/** Objects that are completed at a stretch: with all that is selected of them, that takes a few milliseconds. */
const AT_ONCE = 256;

/**
 * Has an executor complete the objects of an answer in stretches, wherever in it they are: between these others go
 * first, and each is charged to the request. An executor that has all items of a list completes all of them at once.
 */
export class CompletionTurns {
  readonly #budget: Pick<RequestBudget, 'chargeTime'>;
  #room = AT_ONCE;
  /** When those are completed that have been put off last. */
  #turn: Promise<void> | undefined;

  constructor(budget: Pick<RequestBudget, 'chargeTime'>) {
    this.#budget = budget;
  }

  /** The items of a list, those that have to wait as promises. */
  inTurns(items: readonly unknown[]): readonly unknown[] {
    return items.length <= this.#room && this.#turn === undefined
      ? this.#atOnce(items)
      : items.map((item) => this.#next(item));
  }

  #atOnce(items: readonly unknown[]): readonly unknown[] {
    this.#room -= items.length;
    return items;
  }

  #next(item: unknown): unknown {
    if (this.#room === 0) {
      this.#turn = (this.#turn ?? Promise.resolve()).then(() => this.#pause());
      this.#room = AT_ONCE;
    }
    this.#room -= 1;
    return this.#turn === undefined ? item : this.#turn.then(() => item);
  }

  /** What is ready is completed before Node comes to the next tick; then others go first. */
  async #pause(): Promise<void> {
    const start = performance.now();
    await new Promise<void>((resolve) => process.nextTick(resolve));
    const taken = performance.now() - start;
    spend(taken);
    this.#budget.chargeTime(taken);
    await nextTurn();
  }
}

/** Whoever may not do something is told so, and not what is wrong with the way that it was to be done. */
export function permit({ service, call }: GraphQLContext, resource: string, permission: Permission): void {
  service.source.permit?.(resource, permission, call);
}

export type GraphQLPlugin = Plugin<YogaInitialContext & GraphQLContext, GraphQLContext>;
