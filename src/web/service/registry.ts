import type {
  ApiDetail as Api,
  ApiSummary,
  ListedChange as RecordedChange,
  DocumentReport as Report,
  ApiOperation as ServedOperation,
} from '../../contract/api-report.ts';
import { progressHeader } from './progress.ts';
import { gatewayUrl, postJson, requestJson, sendJson } from './request.ts';
import { isAdministrator, type Session } from './session.ts';

export type {
  ApiDetail as Api,
  ApiOperation as ServedOperation,
  ApiState,
  ApiSummary,
  CredentialsSummary as Credentials,
  DocumentFinding as Finding,
  DocumentReport as Report,
  EntitySetSummary as ReportedSet,
  LeftOut,
  ListedChange as RecordedChange,
  ListsSummary as ListsReport,
  ModelSummary as ModelReport,
  SchemeSummary as SecurityScheme,
  Severity,
  StatePart as ReplacedPart,
} from '../../contract/api-report.ts';

/** The APIs that are registered, and whether more can be. */
export interface Registry {
  readonly writable: boolean;
  /** Why nothing can be changed. */
  readonly reason: string | null;
  readonly apis: readonly ApiSummary[];
}

/** What a document is found to be. */
export type Check = Pick<Api, 'report' | 'model'>;

/** Whether a file of that kind can be served. */
export function isServable({ kind }: Report): boolean {
  return kind === 'openapi-3.1' || kind === 'openapi-3.0' || kind === 'swagger-2';
}

/** An operation, without what it becomes. */
export type Operation = Omit<ServedOperation, 'resource'>;

export interface OperationChanges {
  readonly changed: boolean;
  readonly added: readonly Operation[];
  readonly removed: readonly Operation[];
  readonly altered: readonly (Operation & { readonly what: readonly string[] })[];
}

/** What a form says of an API; what is left out stays as it is. */
export interface ApiFields {
  readonly name?: string;
  readonly description?: string;
  readonly serviceUrl?: string;
  readonly fileName?: string;
  readonly document?: string;
  /** Where the document is. */
  readonly url?: string;
  /** The changes that have been shown, and are meant. */
  readonly confirm?: readonly string[];
}

/** Whether the user may see the registry. */
export function mayRegister(session: Session | undefined): boolean {
  return session?.kind === 'open' || isAdministrator(session);
}

export function registryUrl(name?: string, verb?: string): string {
  const path = [name, verb].filter((part) => part !== undefined).map(encodeURIComponent);
  return gatewayUrl(['api/registry', ...path].join('/'));
}

export function readRegistry(signal: AbortSignal): Promise<Registry> {
  return requestJson(registryUrl(), { signal });
}

export function readApi(name: string, signal: AbortSignal): Promise<Api> {
  return requestJson(registryUrl(name), { signal });
}

/** While it lasts, it can be asked about by that id. */
export function checkDocument(fields: ApiFields, progressId: string): Promise<Check> {
  const url = gatewayUrl('api/registry/$check');
  return postJson(url, fields, progressHeader(progressId));
}

/** While it lasts, it can be asked about by that id. */
export function registerApi(fields: ApiFields, progressId: string): Promise<Api> {
  return postJson(registryUrl(), fields, progressHeader(progressId));
}

/** While it lasts, it can be asked about by that id. */
export function replaceApi(name: string, fields: ApiFields, progressId: string): Promise<Api> {
  return sendJson('PUT', registryUrl(name), fields, progressHeader(progressId));
}

export function deleteApi(name: string) {
  return requestJson(registryUrl(name), { method: 'DELETE' });
}

/** Adds an API to the project or removes it; while it lasts, it can be asked about by that id. */
export function moveApi(name: string, verb: 'add' | 'remove', progressId: string): Promise<Api> {
  return postJson(registryUrl(name, verb), {}, progressHeader(progressId));
}

export async function readOperations(name: string, signal: AbortSignal): Promise<readonly ServedOperation[]> {
  const url = registryUrl(name, 'operations');
  return (await requestJson<{ readonly operations: readonly ServedOperation[] }>(url, { signal })).operations;
}

/** Reads the document again, from the URL or, if that is empty, from its file; while it lasts, it can be asked about by that id. */
export function fetchOperations(
  name: string,
  order: { readonly url: string; readonly confirm: readonly string[] },
  progressId: string,
): Promise<OperationChanges> {
  return postJson(registryUrl(name, 'fetch'), order, progressHeader(progressId));
}

export async function readHistory(name: string, signal: AbortSignal): Promise<readonly RecordedChange[]> {
  const url = registryUrl(name, 'history');
  return (await requestJson<{ readonly changes: readonly RecordedChange[] }>(url, { signal })).changes;
}

/** Restores the state before a change; while it lasts, it can be asked about by that id. */
export function restoreApi(
  name: string,
  order: { readonly state: number; readonly confirm: readonly string[] },
  progressId: string,
): Promise<Api> {
  return postJson(registryUrl(name, 'restore'), order, progressHeader(progressId));
}
