import { progressHeader } from './progress.ts';
import { gatewayUrl, postJson, requestJson, sendJson } from './request.ts';
import { isAdministrator, type Session } from './session.ts';

/** The APIs that are registered, and whether more can be. */
export interface Registry {
  readonly writable: boolean;
  /** Why nothing can be changed. */
  readonly reason: string | null;
  readonly apis: readonly ApiSummary[];
}

export type ApiState = 'registered' | 'live' | 'ungranted' | 'failed';

export interface ApiSummary {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  /** The version of OpenAPI. */
  readonly openapi: string;
  readonly description: string;
  readonly serviceUrl: string;
  readonly file: string;
  readonly state: ApiState;
  readonly operations: number;
  readonly entitySets: readonly string[];
  readonly errors: number;
  readonly warnings: number;
}

export interface Api extends ApiSummary, Check {
  readonly fetchUrl: string | null;
  /** What its operations ask for; null where it is not served. */
  readonly credentials: Credentials | null;
  /** Why the files as they are now are not what is served. */
  readonly refusal: string | null;
}

export interface Credentials {
  /** How many operations ask for a credential. */
  readonly asking: number;
  /** How many of these go out without it. */
  readonly unmet: number;
  readonly schemes: readonly SecurityScheme[];
}

export interface SecurityScheme {
  readonly name: string;
  readonly asksFor: string;
  readonly operations: number;
  readonly isGiven: boolean;
  /** What of the project file gives it, or would. */
  readonly setting: { readonly section: string; readonly name: string; readonly value: string } | null;
}

/** What a document is found to be. */
export interface Check {
  readonly report: Report;
  readonly model: ModelReport;
}

export interface Report {
  readonly kind: 'openapi-3.1' | 'openapi-3.0' | 'swagger-2' | 'not-openapi' | 'unreadable' | 'bad-overlay';
  readonly summary: string;
  readonly findings: readonly Finding[];
}

export type Severity = 'error' | 'warning' | 'info';

export interface Finding {
  readonly severity: Severity;
  readonly rule: string;
  readonly message: string;
  /** From 1; 0 where it is no place of the text. */
  readonly line: number;
  readonly column: number;
  readonly pointer: string;
  /** The file that has the place, where that is not the document. */
  readonly file?: 'overlay';
  /** At how many other places the same is found. */
  readonly others?: number;
}

/** Whether a file of that kind can be served. */
export function isServable({ kind }: Report): boolean {
  return kind === 'openapi-3.1' || kind === 'openapi-3.0' || kind === 'swagger-2';
}

export interface ModelReport {
  readonly entitySets: readonly ReportedSet[];
  readonly singletons: readonly string[];
  readonly functions: readonly string[];
  readonly actions: readonly string[];
  readonly leftOut: readonly LeftOut[];
  readonly lists: ListsReport;
}

/** How many of a document's lists are tables, and why the others are not, the commonest reason first. */
export interface ListsReport {
  readonly lists: number;
  readonly tables: number;
  readonly reasons: readonly ListsReason[];
}

export interface ListsReason {
  readonly rule: string;
  readonly message: string;
  readonly hint: string;
  readonly lists: number;
  /** One of the lists. */
  readonly path: string;
  readonly pointer: string;
  readonly file?: 'overlay';
}

export interface ReportedSet {
  readonly name: string;
  readonly type: string;
  readonly key: readonly string[];
  readonly operations: readonly string[];
}

export interface LeftOut {
  readonly severity: Severity;
  readonly pointer: string;
  readonly message: string;
  readonly file?: 'overlay';
  readonly others?: number;
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
}

export interface ServedOperation extends Operation {
  /** What it becomes. */
  readonly resource: string | null;
}

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

export async function readRegistry(signal: AbortSignal): Promise<Registry> {
  return (await requestJson(registryUrl(), { signal })).body as Registry;
}

export async function readApi(name: string, signal: AbortSignal): Promise<Api> {
  return (await requestJson(registryUrl(name), { signal })).body as Api;
}

/** While it lasts, it can be asked about by that id. */
export async function checkDocument(fields: ApiFields, progressId: string): Promise<Check> {
  const url = gatewayUrl('api/registry/$check');
  return (await postJson(url, fields, progressHeader(progressId))).body as Check;
}

/** While it lasts, it can be asked about by that id. */
export async function registerApi(fields: ApiFields, progressId: string): Promise<Api> {
  return (await postJson(registryUrl(), fields, progressHeader(progressId))).body as Api;
}

/** While it lasts, it can be asked about by that id. */
export async function replaceApi(name: string, fields: ApiFields, progressId: string): Promise<Api> {
  return (await sendJson('PUT', registryUrl(name), fields, progressHeader(progressId))).body as Api;
}

export function deleteApi(name: string) {
  return requestJson(registryUrl(name), { method: 'DELETE' });
}

/** Adds an API to the project or removes it; while it lasts, it can be asked about by that id. */
export async function moveApi(name: string, verb: 'add' | 'remove', progressId: string): Promise<Api> {
  return (await postJson(registryUrl(name, verb), {}, progressHeader(progressId))).body as Api;
}

export async function readOperations(name: string, signal: AbortSignal): Promise<readonly ServedOperation[]> {
  const { body } = await requestJson(registryUrl(name, 'operations'), { signal });
  return (body as { readonly operations: readonly ServedOperation[] }).operations;
}

/** Reads the document again, from the URL or, if that is empty, from its file; while it lasts, it can be asked about by that id. */
export async function fetchOperations(
  name: string,
  order: { readonly url: string; readonly confirm: readonly string[] },
  progressId: string,
): Promise<OperationChanges> {
  const { body } = await postJson(registryUrl(name, 'fetch'), order, progressHeader(progressId));
  return body as OperationChanges;
}

/** What of an API a change has replaced. */
export type ReplacedPart = 'document' | 'overlay' | 'description' | 'serviceUrl' | 'fetchUrl';

/** A change of an API, which put an end to the state of that number. */
export interface RecordedChange {
  readonly state: number;
  readonly at: string;
  /** The e-mail address of a user. */
  readonly by: string | null;
  readonly replaced: readonly ReplacedPart[];
  readonly changes: readonly ToldChange[];
}

/** What a change is for those who use the API. */
export interface ToldChange {
  readonly kind: 'breaking' | 'compatible';
  readonly message: string;
}

export async function readHistory(name: string, signal: AbortSignal): Promise<readonly RecordedChange[]> {
  const { body } = await requestJson(registryUrl(name, 'history'), { signal });
  return (body as { readonly changes: readonly RecordedChange[] }).changes;
}

/** Restores the state before a change; while it lasts, it can be asked about by that id. */
export async function restoreApi(
  name: string,
  order: { readonly state: number; readonly confirm: readonly string[] },
  progressId: string,
): Promise<Api> {
  return (await postJson(registryUrl(name, 'restore'), order, progressHeader(progressId))).body as Api;
}
