import { randomBytes } from 'node:crypto';
import { createAnswerMemory } from '../contract/answer-memory.ts';
import type { EntitySource } from '../contract/entity-source.ts';
import type { BudgetedRequest, GatewayRequest, GatewayResponse } from '../contract/exchange.ts';
import { GatewayError } from '../contract/gateway-error.ts';
import type { Log } from '../contract/log.ts';
import type { Principal } from '../contract/principal.ts';
import { RequestBudget } from '../contract/request-budget.ts';
import type { Model } from '../model/model.ts';
import { takesUpload } from './operations/bind/bind-target.ts';
import { dispatch, operationFinder, prepareOperation } from './operations/find-operation.ts';
import {
  createDeferredAnswers,
  createDeferredBudgets,
  createDeferredWork,
  DEFERRED_LIMITS,
  type DeferredAnswers,
} from './operations/handlers/deferred/deferred-answers.ts';
import {
  monitorOperation,
  prefersLater,
  respondLater,
} from './operations/handlers/deferred/respond-async.ts';
import { errorResponse } from './operations/protocol/response.ts';
import { type LimitOptions, limitsOf, type Service } from './operations/service/service.ts';
import { createDeltaPages, createDeltaTokens } from './operations/tokens/delta-pages.ts';
import { createPaging } from './operations/tokens/paging.ts';

export type { DeferredAnswers };

export interface ODataOptions {
  readonly model: Model;
  /** What of the model a principal may know of; all of it where this is not given. */
  readonly visibleTo?: ((principal: Principal) => Model) | undefined;
  /** The model without what its values may hold that a principal may not see; all of it where this is not given. */
  readonly readableTo?: ((principal: Principal) => Model) | undefined;
  /** The entities, behind the permissions of whoever asks. */
  readonly source: EntitySource;
  /** Puts the permissions of whoever asks in front of another source: a change set is rehearsed before it is sent. */
  readonly guard?: (source: EntitySource) => EntitySource;
  /** The public URL of the service root, such as `https://api.example.com/odata`. */
  readonly root: string;
  /** The URL below which the vocabularies are that `$metadata` references; without it, the OASIS's own. */
  readonly vocabularies?: string | undefined;
  /** How many bytes of written answers may be kept; 0 keeps none. */
  readonly answerMemoryBytes: number;
  /** Signs the tokens of next links, the same in all instances of the service; without it they are this one's. */
  readonly signingKey?: string | undefined;
  /** A query parameter that may hold a credential: no URL that it stands in is shown with it. */
  readonly credentialParameter?: string | undefined;
  /** How much a request may ask for; what is left out has its default. */
  readonly limits?: LimitOptions;
  /** Keeps what is answered later, also for the endpoint that takes the place of this one; else it is this one's. */
  readonly deferred?: DeferredAnswers;
  /** Where faults of ours are reported that fail a part of a batch. */
  readonly log?: Log;
}

/** Answers OData requests, and says which of them have a stream for a body, which is handed on as it comes. */
export interface ODataEndpoint {
  (request: GatewayRequest): Promise<GatewayResponse>;
  takesUpload(request: GatewayRequest): boolean;
  /**
   * Resolves when nothing is worked on any more that is answered later; what takes longer than `grace`, in
   * milliseconds, is given up. No request may come any more.
   */
  finish(grace: number): Promise<void>;
}

/** Answers OData requests: one request in, one response out. Targets are below the service root. */
export function createODataEndpoint(options: ODataOptions): ODataEndpoint {
  const { model, source, root, guard = (unguarded) => unguarded, signingKey = randomBytes(32) } = options;
  const limits = limitsOf(options.limits);
  const reading = { limits: limits.url, credentialParameter: options.credentialParameter };
  const longestTarget = limits.url.length - new URL(root).pathname.length;
  const service: Service = {
    model,
    visibleTo: options.visibleTo ?? (() => model),
    readableTo: options.readableTo ?? (() => model),
    source,
    root,
    vocabularies: options.vocabularies,
    answers: createAnswerMemory(options.answerMemoryBytes),
    limits,
    paging: createPaging(signingKey, longestTarget),
    deltaTokens: createDeltaTokens(signingKey),
    deltaPages: createDeltaPages(signingKey, longestTarget),
    perform: (request) =>
      dispatch(
        request,
        reading,
        (read) => monitorOperation(deferred, root, read.target) ?? find(read, request),
      ),
    performNoting: (request, done) =>
      dispatch(request, reading, (read) => prepareOperation({ ...service, done }, read)),
    dryRun: (request, other, demandsPresence) =>
      dispatch(request, reading, (read) =>
        prepareOperation({ ...service, source: guard(other), demandsPresence }, read),
      ),
    log: options.log,
  };
  const find = operationFinder(service);
  const deferred = createDeferredWork(options.deferred ?? openDeferredAnswers(options.log));
  const answer = async (request: BudgetedRequest): Promise<GatewayResponse> => {
    try {
      return await service.perform(request);
    } catch (error) {
      if (error instanceof GatewayError) return errorResponse(error, request.headers);
      throw error;
    }
  };
  const budgets = createDeferredBudgets(limits.budget);
  const endpoint = (request: GatewayRequest): Promise<GatewayResponse> =>
    prefersLater(request)
      ? respondLater(request, { deferred, budgets, root }, answer)
      : answer({ ...request, budget: new RequestBudget(limits.budget, request.signal) });
  return Object.assign(endpoint, {
    takesUpload: (request: GatewayRequest) => takesUpload(service, request),
    finish: deferred.finish,
  });
}

/** Holds what is answered later, for one endpoint after the other. */
export function openDeferredAnswers(log?: Log): DeferredAnswers {
  return createDeferredAnswers(DEFERRED_LIMITS, log);
}

/** An error that arose before the endpoint was asked, in OData's own shape. */
export function writeODataError(
  error: GatewayError,
  request: Pick<GatewayRequest, 'headers'>,
): GatewayResponse {
  return errorResponse(error, request.headers);
}
