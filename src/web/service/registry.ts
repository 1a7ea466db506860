import type {
  ApiDetail,
  ApiListing,
  ApiOperation,
  ApiUsage,
  DocumentReport,
  ListedChange,
  OperationChanges,
  ParameterReport,
  RelationDecision,
  RelationReport,
} from '../../contract/api-report.ts';
import type {
  Improvement,
  LearnableRead,
  LearnResult,
  OverlayAction,
  Suggestion,
} from '../../contract/improvements.ts';
import { progressHeader } from './progress.ts';
import { gatewayUrl, postJson, requestJson, sendJson } from './request.ts';
import { isAdministrator, type Session } from './session.ts';

export type * from '../../contract/api-report.ts';
export type * from '../../contract/improvements.ts';

/** The result of analyzing a document. */
export type Check = Pick<ApiDetail, 'report' | 'model'>;

export function isServable({ kind }: DocumentReport): boolean {
  return kind === 'openapi-3.1' || kind === 'openapi-3.0' || kind === 'swagger-2';
}

/** The fields of an API; omitted ones are kept. */
export interface ApiFields {
  readonly name?: string;
  readonly description?: string;
  readonly serviceUrl?: string;
  readonly fileName?: string;
  readonly document?: string;
  /** A ZIP archive in base64, in place of a document. */
  readonly archive?: string;
  /** The URL of the document. */
  readonly url?: string;
  /** True to fetch the files of the URL's origin that the document refers to, too. */
  readonly withFiles?: boolean;
  /** The confirmed messages. */
  readonly confirm?: readonly string[];
}

/** Whether the user may use the registry. */
export function mayRegister(session: Session | undefined): boolean {
  return session?.kind === 'open' || isAdministrator(session);
}

export function registryUrl(name?: string, verb?: string): string {
  const path = [name, verb].filter((part) => part !== undefined).map(encodeURIComponent);
  return gatewayUrl(['api/registry', ...path].join('/'));
}

/** Reads a page of the list of APIs: the first one, or that of a `next` query. */
export function readRegistry(query: string, signal: AbortSignal): Promise<ApiListing> {
  return requestJson(`${registryUrl()}${query}`, { signal });
}

export function readApi(name: string, signal: AbortSignal): Promise<ApiDetail> {
  return requestJson(registryUrl(name), { signal });
}

export function checkDocument(fields: ApiFields, progressId: string): Promise<Check> {
  const url = gatewayUrl('api/registry/$check');
  return postJson(url, fields, progressHeader(progressId));
}

export function registerApi(fields: ApiFields, progressId: string): Promise<ApiDetail> {
  return postJson(registryUrl(), fields, progressHeader(progressId));
}

export function replaceApi(name: string, fields: ApiFields, progressId: string): Promise<ApiDetail> {
  return sendJson('PUT', registryUrl(name), fields, progressHeader(progressId));
}

export function deleteApi(name: string) {
  return requestJson(registryUrl(name), { method: 'DELETE' });
}

/** Adds an API to the project or removes it. */
export function moveApi(
  name: string,
  order: { readonly verb: 'add' | 'remove'; readonly confirm?: readonly string[] },
  progressId: string,
): Promise<ApiDetail> {
  const { verb, ...body } = order;
  return postJson(registryUrl(name, verb), body, progressHeader(progressId));
}

/** Disables an API, with a reason for its users, or enables it. */
export function switchApi(
  name: string,
  order: { readonly verb: 'enable' } | { readonly verb: 'disable'; readonly reason: string },
): Promise<ApiDetail> {
  const { verb, ...body } = order;
  return postJson(registryUrl(name, verb), body);
}

export async function readOperations(name: string, signal: AbortSignal): Promise<readonly ApiOperation[]> {
  const url = registryUrl(name, 'operations');
  return (await requestJson<{ readonly operations: readonly ApiOperation[] }>(url, { signal })).operations;
}

/** Reads the document again, from the URL or, if empty, from its file. */
export function fetchOperations(
  name: string,
  order: { readonly url: string; readonly confirm: readonly string[] },
  progressId: string,
): Promise<OperationChanges> {
  return postJson(registryUrl(name, 'fetch'), order, progressHeader(progressId));
}

/** The reads of an API whose answers can be learnt. */
export async function readLearnable(name: string, signal: AbortSignal): Promise<readonly LearnableRead[]> {
  const url = registryUrl(name, 'learnable');
  return (await requestJson<{ readonly reads: readonly LearnableRead[] }>(url, { signal })).reads;
}

/** Calls the reads and proposes the schemas of their answers; stores nothing. */
export function learnAnswers(name: string, reads: readonly string[]): Promise<LearnResult> {
  return postJson(registryUrl(name, 'learn'), { reads });
}

export async function readSuggestions(name: string, signal: AbortSignal): Promise<readonly Suggestion[]> {
  const url = registryUrl(name, 'suggestions');
  return (await requestJson<{ readonly suggestions: readonly Suggestion[] }>(url, { signal })).suggestions;
}

/** The effect of actions on the overlay and the tables; stores nothing. */
export function previewActions(name: string, actions: readonly OverlayAction[]): Promise<Improvement> {
  return postJson(registryUrl(name, 'preview'), { actions });
}

/** Writes actions to the overlay of the API. */
export function acceptActions(
  name: string,
  order: { readonly actions: readonly OverlayAction[]; readonly confirm: readonly string[] },
  progressId: string,
): Promise<ApiDetail> {
  return postJson(registryUrl(name, 'accept'), order, progressHeader(progressId));
}

/** Reads the calls of the API today, and its limits. */
export function readUsage(name: string, signal: AbortSignal): Promise<ApiUsage> {
  return requestJson(registryUrl(name, 'usage'), { signal });
}

/** Reads the outcomes for the parameters of the API's lists. */
export function readParameters(name: string, signal: AbortSignal): Promise<ParameterReport> {
  return requestJson(registryUrl(name, 'parameters'), { signal });
}

/** Begins to try the parameters out. */
export function checkParameters(name: string): Promise<ParameterReport> {
  return postJson(registryUrl(name, 'parameters'), {});
}

export function forgetParameters(name: string) {
  return requestJson(registryUrl(name, 'parameters'), { method: 'DELETE' });
}

/** Reads the relations of the API, and what data has shown of them. */
export function readRelations(name: string, signal: AbortSignal): Promise<RelationReport> {
  return requestJson(registryUrl(name, 'relations'), { signal });
}

/** Begins to look up values of the relations. */
export function checkRelations(name: string): Promise<RelationReport> {
  return postJson(registryUrl(name, 'relations'), {});
}

/** Writes decisions about relations into the overlay of the API. */
export function decideRelations(
  name: string,
  relations: readonly RelationDecision[],
  progressId: string,
): Promise<RelationReport> {
  return postJson(registryUrl(name, 'relate'), { relations }, progressHeader(progressId));
}

export async function readHistory(name: string, signal: AbortSignal): Promise<readonly ListedChange[]> {
  const url = registryUrl(name, 'history');
  return (await requestJson<{ readonly changes: readonly ListedChange[] }>(url, { signal })).changes;
}

/** Restores the state before a change. */
export function restoreApi(
  name: string,
  order: { readonly state: number; readonly confirm: readonly string[] },
  progressId: string,
): Promise<ApiDetail> {
  return postJson(registryUrl(name, 'restore'), order, progressHeader(progressId));
}
