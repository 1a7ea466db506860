import type { FragmentDefinitionNode, GraphQLResolveInfo, GraphQLSchema } from 'graphql';
import type { Plugin, YogaInitialContext } from 'graphql-yoga';
import type { EntitySource } from '../../contract/entity-source.ts';
import type { BudgetedRequest } from '../../contract/exchange.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { Log } from '../../contract/log.ts';
import type { ParameterTrust } from '../../contract/parameter-trust.ts';
import type { Principal } from '../../contract/principal.ts';
import type { RequestBudget } from '../../contract/request-budget.ts';
import type { Row } from '../../contract/row.ts';
import { ExactNumber } from '../../core/exact-number.ts';
import { type LimitsOf, REQUEST_LIMITS, type RequestLimits } from '../../core/request-limits.ts';
import { nextTurn, spend } from '../../core/work.ts';
import type { CompletedChange } from '../../engine/change/compensation.ts';
import type { Expression } from '../../engine/tree/query-tree.ts';
import type { EntitySet, EntityType } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import type { Permission } from '../../model/permission.ts';
import type { ShownModel } from './schema-names.ts';

/** The service that queries read from. */
export interface QueryService {
  readonly model: Model;
  /** The entities, guarded by the permissions of the caller. */
  readonly source: EntitySource;
  readonly trust?: ParameterTrust | undefined;
  readonly limits: QueryLimits;
  readonly log: Log;
}

/** The context of resolvers. */
export interface GraphQLContext {
  readonly service: QueryService;
  readonly call: BudgetedRequest;
  /** The parsed parameters of the request. */
  readonly params?: unknown;
  /** Schedules the completion of the response's objects. */
  readonly completionTurns: CompletionTurns;
  /** Whether the response has all data of a query, known after its execution; the entities changed in groups so far. */
  readonly progress: { isReadWhole: boolean; changed: number };
  /** The principal, once it is determined. */
  readonly currentUser?: Principal;
  /** The error with which reading the document's only field has failed already. */
  readonly failed?: GatewayError | undefined;
  /** Records the changes of a group, so that they can be undone. */
  readonly done?: CompletedChange[] | undefined;
  /** The part of the schema that the caller may see, in GraphQL's schema language. */
  readonly schemaText: () => Promise<string>;
  /** Creates the context for turning a selection into queries. */
  readonly dependencies: (info: GraphQLResolveInfo) => SelectionDependencies;
  /** The public URL of an entity's stream; without a name, of the media entity itself. */
  readonly streamUrl: (type: EntityType, row: Row, name: string | undefined) => string | null;
}

/** A value of an input, with GraphQL names. */
export type Input = Readonly<Record<string, unknown>>;

/** Whether an argument has a value other than null. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** The own member of that name; ignores members that all objects inherit. */
export function givenUnder(input: Input, name: string): unknown {
  return Object.hasOwn(input, name) ? input[name] : undefined;
}

/**
 * A JSON value whose objects inherit nothing: executors read input fields by name, and would find
 * `constructor` and others.
 */
export function withoutInherited(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutInherited);
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return value;
  const members = Object.entries(value).map(([name, each]) => [name, withoutInherited(each)] as const);
  return Object.assign(Object.create(null), Object.fromEntries(members));
}

/** The schema, fragments and variables of a document. */
export interface RequestedDocument {
  readonly schema: GraphQLSchema;
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  readonly variableValues: Readonly<Record<string, unknown>>;
}

/** A sort key. */
export interface OrderItem {
  /** The names in the model on the path to it. */
  readonly names: readonly string[];
  /** Its primitive type; for enumerations, that of member names. */
  readonly type: string;
  readonly descending: boolean;
}

/** Relay cursors, which contain the sort keys of their entity. */
export interface Cursors {
  write(ordering: Ordering, row: Row): string;
  /**
   * The condition for entities after the cursor. Throws BadRequest for a forged cursor or one of another
   * list.
   */
  behind(ordering: Ordering, cursor: unknown, argument: 'after' | 'before'): Expression;
}

/** A total order of entities: the client's order, then the key. */
export interface Ordering {
  /** The list's type and sort keys. */
  readonly list: string;
  readonly items: readonly OrderItem[];
  /** The row members with the sort keys. */
  readonly names: readonly string[];
}

/** The context for turning selections into queries. */
export interface SelectionDependencies {
  readonly shown: ShownModel;
  readonly limits: { readonly url: LimitsOf<'url'> };
  readonly cursors: Cursors;
  readonly requested: RequestedDocument;
  /** The number of enclosing relations. */
  readonly depth: number;
  /** The entity set of the selected entities, if they are in one. */
  readonly set?: EntitySet | undefined;
}

/** Limits of a document and of its execution. */
export type GraphQLLimits = Pick<RequestLimits, 'graphql' | 'url' | 'budget' | 'batch'>;

/** Limits of a document's arguments and selections: those of OData's query options. */
interface QueryLimits {
  readonly url: LimitsOf<'url'>;
  readonly query: { readonly nodes: number; readonly budget: LimitsOf<'budget'> };
  readonly budget: LimitsOf<'budget'>;
  readonly batch: LimitsOf<'batch'>;
}

/** A compiled query may be this many times as large as one of its arguments. */
const USES = 10;

export function queryLimits({ url, budget, batch }: GraphQLLimits): QueryLimits {
  return { url, budget, batch, query: { nodes: USES * url.nodes, budget } };
}

/** Rejects an argument with more entities than a request may concern. */
export function assertFew({ service }: GraphQLContext, argument: string, count: number): void {
  const { requests } = service.limits.batch;
  if (count <= requests) return;
  const { variable } = REQUEST_LIMITS.batch.requests;
  const message = `${argument}: expected at most ${requests} entities (${variable}), found ${count}.`;
  throw new GatewayError('BadRequest', message, { target: argument, limit: variable });
}

/** Objects completed in one stretch: with all fields, they take a few milliseconds. */
const AT_ONCE = 256;

/**
 * Makes an executor complete the objects of a response in stretches, charged to the request, with other
 * requests in between. An executor that gets all items of a list completes them at once.
 */
export class CompletionTurns {
  readonly #budget: Pick<RequestBudget, 'chargeTime'>;
  #room = AT_ONCE;
  /** Resolves when the objects that were postponed last are completed. */
  #turn: Promise<void> | undefined;

  constructor(budget: Pick<RequestBudget, 'chargeTime'>) {
    this.#budget = budget;
  }

  /** The items of a list; postponed ones are promises. */
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

  /** Lets the executor complete what is ready before the next tick, and then other requests run. */
  async #pause(): Promise<void> {
    const start = performance.now();
    await new Promise<void>((resolve) => process.nextTick(resolve));
    const taken = performance.now() - start;
    spend(taken);
    this.#budget.chargeTime(taken);
    await nextTurn();
  }
}

/** Reports a missing permission before any mistake in the request. */
export function permit({ service, call }: GraphQLContext, resource: string, permission: Permission): void {
  service.source.permit?.(resource, permission, call);
}

export type GraphQLPlugin = Plugin<YogaInitialContext & GraphQLContext, GraphQLContext>;
