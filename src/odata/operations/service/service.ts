import type { EntitySource } from '../../../contract/entity-source.ts';
import type { AnswerMemory, BudgetedRequest, GatewayResponse } from '../../../contract/exchange.ts';
import type { Log } from '../../../contract/log.ts';
import type { ParameterTrust } from '../../../contract/parameter-trust.ts';
import type { Principal } from '../../../contract/principal.ts';
import { DEFAULT_REQUEST_LIMITS, type LimitsOf } from '../../../core/request-limits.ts';
import type { CompletedChange } from '../../../engine/change/compensation.ts';
import type { QueryLimits } from '../../../engine/scope/scope.ts';
import type { Model } from '../../../model/model.ts';
import type { ODataVersion } from '../../payload/negotiation/format.ts';
import type { DeltaPages, DeltaTokens, Paging } from '../tokens/paging.ts';

/** What the operations work on: one model, its data, and where clients find it. */
export interface Service {
  readonly model: Model;
  /** What of the model a principal may know of. */
  readonly visibleTo: (principal: Principal) => Model;
  /** What of the model a principal may read: the same types, less what may hold entities that he may not see. */
  readonly readableTo: (principal: Principal) => Model;
  readonly source: EntitySource;
  readonly trust?: ParameterTrust | undefined;
  /** The public URL of the service root, without a slash at the end. */
  readonly root: string;
  /** The URL below which the vocabularies are that `$metadata` references; undefined for the OASIS's own. */
  readonly vocabularies: string | undefined;
  readonly answers: AnswerMemory;
  readonly paging: Paging;
  readonly deltaTokens: DeltaTokens;
  readonly deltaPages: DeltaPages;
  readonly limits: Limits;
  /** Carries out a request as if it had come alone; throws what is wrong with it. */
  readonly dispatch: (request: BudgetedRequest) => Promise<GatewayResponse>;
  /** Carries out a member of a change set: what it does is noted, so that it can be taken back with the others. */
  readonly dispatchTracked: (request: BudgetedRequest, done: CompletedChange[]) => Promise<GatewayResponse>;
  /** Carries out a request on another source than the service's, under the same permissions. */
  readonly dryRun: (
    request: BudgetedRequest,
    source: EntitySource,
    demandsPresence: boolean,
  ) => Promise<GatewayResponse>;
  readonly log: Log | undefined;
  /** Where changes note what they have done. */
  readonly done?: CompletedChange[];
  /** Changes are rehearsed, with what is there: they demand that it is. */
  readonly demandsPresence?: boolean;
}

/** Answers one kind of request to one URL. What depends on the URL alone is done before. */
export type RequestHandler = (request: BudgetedRequest, version: ODataVersion) => Promise<GatewayResponse>;

/** How much a request may ask for. */
interface Limits {
  /** Of what is written in a URL; counted while it is parsed. */
  readonly url: LimitsOf<'url'>;
  /** Of what it comes to where aliases and computed properties are used again and again. */
  readonly query: QueryLimits;
  /** Of what the request comes to, all parts of a batch together. */
  readonly budget: LimitsOf<'budget'>;
  readonly batch: LimitsOf<'batch'>;
}

export type LimitOptions = { readonly [Part in keyof Limits]?: Partial<Limits[Part]> };

/** A query may come to so many times what one of its options may be. */
const USES = 10;

/** The limits with the defaults of those that are left out. */
export function limitsOf(options: LimitOptions = {}): Limits {
  const { url, budget, batch } = DEFAULT_REQUEST_LIMITS;
  const limits = {
    url: { ...url, ...options.url },
    budget: { ...budget, ...options.budget },
    batch: { ...batch, ...options.batch },
  };
  return { ...limits, query: { nodes: USES * limits.url.nodes, budget: limits.budget, ...options.query } };
}
