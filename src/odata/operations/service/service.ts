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

/** The context of the operations: a model, its data and its URL. */
export interface Service {
  readonly model: Model;
  /** The part of the model that the principal may see. */
  readonly visibleTo: (principal: Principal) => Model;
  /** The model with values marked as unreadable that may contain entities which the principal may not see. */
  readonly readableTo: (principal: Principal) => Model;
  readonly source: EntitySource;
  readonly trust?: ParameterTrust | undefined;
  /** The public URL of the service root, without a trailing slash. */
  readonly root: string;
  /** The base URL of the vocabularies that `$metadata` references; undefined for those of OASIS. */
  readonly vocabularies: string | undefined;
  readonly answers: AnswerMemory;
  readonly paging: Paging;
  readonly deltaTokens: DeltaTokens;
  readonly deltaPages: DeltaPages;
  readonly limits: Limits;
  /** Executes a request like one from a client; throws its errors. */
  readonly dispatch: (request: BudgetedRequest) => Promise<GatewayResponse>;
  /** Executes a member of a change set and records its changes, so that they can be undone. */
  readonly dispatchTracked: (request: BudgetedRequest, done: CompletedChange[]) => Promise<GatewayResponse>;
  /** Executes a request on another source, with the same permissions. */
  readonly dryRun: (
    request: BudgetedRequest,
    source: EntitySource,
    demandsPresence: boolean,
  ) => Promise<GatewayResponse>;
  readonly log: Log | undefined;
  /** Records the changes, if given. */
  readonly done?: CompletedChange[];
  /** True if changes are rehearsed on the current data, which must exist. */
  readonly demandsPresence?: boolean;
}

/** Handles one kind of request to one URL. Work that depends on the URL only is done before. */
export type RequestHandler = (request: BudgetedRequest, version: ODataVersion) => Promise<GatewayResponse>;

/** The limits of a request. */
interface Limits {
  /** Of the URL; counted while it is parsed. */
  readonly url: LimitsOf<'url'>;
  /** Of the compiled query, in which aliases and computed properties may be repeated. */
  readonly query: QueryLimits;
  /** Of the execution; shared by the parts of a batch. */
  readonly budget: LimitsOf<'budget'>;
  readonly batch: LimitsOf<'batch'>;
}

export type LimitOptions = { readonly [Part in keyof Limits]?: Partial<Limits[Part]> };

/** A compiled query may be this many times as large as one of its options. */
const USES = 10;

export function limitsOf(options: LimitOptions = {}): Limits {
  const { url, budget, batch } = DEFAULT_REQUEST_LIMITS;
  const limits = {
    url: { ...url, ...options.url },
    budget: { ...budget, ...options.budget },
    batch: { ...batch, ...options.batch },
  };
  return { ...limits, query: { nodes: USES * limits.url.nodes, budget: limits.budget, ...options.query } };
}
