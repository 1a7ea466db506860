import type { AnswerMemory } from '../../../contract/answer-memory.ts';
import type { EntitySource } from '../../../contract/entity-source.ts';
import type { BudgetedRequest, GatewayResponse } from '../../../contract/exchange.ts';
import type { Log } from '../../../contract/log.ts';
import type { Principal } from '../../../contract/principal.ts';
import type { CompletedChange } from '../../../engine/change/compensation.ts';
import type { Model } from '../../../model/model.ts';
import type { ODataVersion } from '../../payload/negotiation/version.ts';
import type { Limits } from '../protocol/limits.ts';
import type { DeltaPages } from '../tokens/delta-pages.ts';
import type { DeltaTokens } from '../tokens/delta-tokens.ts';
import type { Paging } from '../tokens/paging.ts';

/** What the operations work on: one model, its data, and where clients find it. */
export interface Service {
  readonly model: Model;
  /** What of the model a principal may know of. */
  readonly visibleTo: (principal: Principal) => Model;
  /** What of the model a principal may read: the same types, less what may hold entities that he may not see. */
  readonly readableTo: (principal: Principal) => Model;
  readonly source: EntitySource;
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
  readonly perform: (request: BudgetedRequest) => Promise<GatewayResponse>;
  /** Carries out a member of a change set: what it does is noted, so that it can be taken back with the others. */
  readonly performNoting: (request: BudgetedRequest, done: CompletedChange[]) => Promise<GatewayResponse>;
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
