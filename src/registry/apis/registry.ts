import type {
  ApiDetail,
  ApiListing,
  ApiState,
  ApiSummary,
  CredentialsSummary,
  DocumentFinding,
  Examination,
  ModelSummary,
} from '../../contract/api-report.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import { validateServiceUrl } from '../../core/service-url.ts';
import { own } from '../../openapi/parse/openapi-version.ts';
import type { AddressGuard } from '../address/address-guard.ts';
import {
  type ApiEntry,
  type ApiFolder,
  isOperators,
  readApis,
  shownPath,
  validateWritable,
} from '../folder/api-folder.ts';
import type { DisabledApi, FollowedDisabledApis } from '../folder/disabled-apis.ts';
import type { Examinations, ExaminedText } from './examinations.ts';

/** Dependencies shared by the registry's handlers. */
export interface RegistryDependencies {
  readonly folder: ApiFolder;
  readonly examinations: Examinations;
  readonly guard: AddressGuard;
  /** True with access control. */
  readonly needsGrants: boolean;
  /** The served state of an API; undefined if it is not served. */
  readonly served: (name: string) => ServedApi | undefined;
  /** The disabled APIs. */
  readonly disabled: Pick<FollowedDisabledApis, 'find' | 'look'>;
}

/** An API with the analysis of its document. */
export interface FoundApi extends ExaminedText {
  readonly entry: ApiEntry;
}

/** Throws NotFound for an unknown name. */
export function findEntry({ folder }: Pick<RegistryDependencies, 'folder'>, name: string): ApiEntry {
  const found = readApis(folder).find((entry) => entry.name === name);
  if (found === undefined)
    throw new GatewayError('NotFound', `There is no API named ${JSON.stringify(name)}.`);
  return found;
}

export async function findApi(dependencies: RegistryDependencies, name: string): Promise<FoundApi> {
  const entry = findEntry(dependencies, name);
  return { entry, ...(await dependencies.examinations.ofFile(entry.file, entry.name)) };
}

export function detailOf(
  { folder, guard, needsGrants, served, disabled }: RegistryDependencies,
  { entry, examination }: FoundApi,
) {
  const path = shownPath(folder, entry.file);
  const known = entry.source && served(entry.name);
  // Messages must not reveal the project's path.
  const shown = known && { ...known, refusal: known.refusal?.replaceAll(`${folder.root}/`, '') };
  const off = entry.source && disabled.find(entry.name);
  return describeApi(entry, path, examination, shown, { guard, needsGrants, off });
}

/** Default and maximum number of APIs per page. */
const PAGE_SIZE = 50;

/**
 * A page of the list of APIs. Documents are analyzed one by one: concurrent ones would be rejected by the
 * queue, and those of all pages would take minutes.
 */
export async function listApis(
  dependencies: RegistryDependencies,
  query: URLSearchParams,
): Promise<Pick<ApiListing, 'apis' | 'next'>> {
  const skip = naturalIn(query, 'skip') ?? 0;
  const top = Math.min(naturalIn(query, 'top') ?? PAGE_SIZE, PAGE_SIZE);
  const entries = readApis(dependencies.folder);
  const apis: ApiSummary[] = [];
  for (const entry of entries.slice(skip, skip + top)) {
    const examined = await dependencies.examinations.ofFile(entry.file, entry.name);
    apis.push(summaryOf(await detailOf(dependencies, { entry, ...examined })));
  }
  const isLast = top === 0 || skip + top >= entries.length;
  return { apis, next: isLast ? null : `?skip=${skip + top}&top=${top}` };
}

function naturalIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const message = `${name}: expected a whole number from 0, found ${JSON.stringify(text.slice(0, 40))}`;
  throw new GatewayError('BadRequest', message, { target: name });
}

/** Throws Forbidden if the project's files are read-only. */
export function assertWritable({ folder }: RegistryDependencies): void {
  const reason = validateWritable(folder.projectFile, folder.documents);
  if (reason !== undefined) throw new GatewayError('Forbidden', reason);
}

/** The served state of an API. */
interface ServedApi {
  readonly serviceUrl: string;
  readonly model: ModelSummary;
  readonly credentials: CredentialsSummary;
  readonly refusal?: string | undefined;
}

interface DescribingContext extends Pick<RegistryDependencies, 'guard' | 'needsGrants'> {
  /** Undefined for an API that is not disabled. */
  readonly off: DisabledApi | undefined;
}

/** Describes an API; `served` is its served state, if any. */
async function describeApi(
  entry: ApiEntry,
  path: string,
  examination: Examination,
  served: ServedApi | undefined,
  { guard, needsGrants, off }: DescribingContext,
): Promise<ApiDetail> {
  const { report, document, operations } = examination;
  const model = served?.model ?? examination.model;
  // Addresses that the operator wrote are trusted.
  const addressFindings =
    document === undefined || isOperators(entry)
      ? []
      : await serviceFindings(entry.registration?.serviceUrl, examination, guard);
  const findings = [...report.findings, ...addressFindings].sort(bySeverity);
  const info = own(document, 'info');
  return {
    name: entry.name,
    title: textOf(own(info, 'title')),
    version: textOf(own(info, 'version')),
    openapi: report.kind === 'swagger-2' ? '2.0' : textOf(own(document, 'openapi')),
    description: entry.registration?.description || textOf(own(info, 'description')),
    serviceUrl: served?.serviceUrl ?? serviceUrlOf(entry, examination) ?? '',
    file: path,
    state:
      off !== undefined
        ? 'disabled'
        : needsGrants && isUngranted(entry, examination, served)
          ? 'ungranted'
          : stateOf(entry, served),
    operations: operations.length,
    entitySets: model.entitySets.map(({ name }) => name),
    errors: countOf(findings, 'error'),
    warnings: countOf(findings, 'warning'),
    report: { ...report, summary: withAddresses(report.summary, addressFindings), findings },
    model,
    fetchUrl: entry.registration?.fetchUrl ?? null,
    credentials: served?.credentials ?? null,
    refusal: served?.refusal ?? null,
    disabled: off === undefined ? null : { at: off.at ?? null, by: off.by ?? null, reason: off.reason ?? '' },
  };
}

/** The part of a description that lists contain. */
function summaryOf({
  report: _,
  model: __,
  fetchUrl: ___,
  credentials: ____,
  refusal: _____,
  disabled: ______,
  ...summary
}: ApiDetail): ApiSummary {
  return summary;
}

/** The service URL of an API that is not served; undefined if unknown. */
export function serviceUrlOf({ registration }: ApiEntry, { servers }: Examination): string | undefined {
  const url = registration?.serviceUrl ?? servers[0]?.url;
  return url === undefined || validateServiceUrl(url) !== undefined ? undefined : url;
}

/** The error for an API without a service URL. */
export function noServiceUrl(code: 'BadRequest' | 'Conflict'): GatewayError {
  const message = 'There is no service URL that can be called: give an absolute http or https URL.';
  return new GatewayError(code, message, { target: 'serviceUrl' });
}

function stateOf({ source }: ApiEntry, served: ServedApi | undefined): ApiState {
  if (source === undefined) return 'registered';
  return served === undefined ? 'failed' : 'live';
}

/** Whether the API has grantable resources and no grants. */
function isUngranted(
  entry: ApiEntry,
  { access: { resources, roles } }: Examination,
  served: ServedApi | undefined,
): boolean {
  return stateOf(entry, served) === 'live' && resources.length > 0 && roles.length === 0;
}

function withAddresses(summary: string, findings: readonly DocumentFinding[]): string {
  const [first] = findings.filter(({ severity }) => severity === 'error');
  return first === undefined ? summary : `${summary} It cannot be called as it is: ${first.message}.`;
}

function bySeverity(a: DocumentFinding, b: DocumentFinding): number {
  return a.severity.localeCompare(b.severity);
}

function countOf(findings: readonly DocumentFinding[], severity: DocumentFinding['severity']): number {
  return findings.filter((each) => each.severity === severity).length;
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

const RULE = 'service-url';

/** Findings about the service URL: the registered one and the servers of the document. Nothing is called. */
async function serviceFindings(
  given: string | undefined,
  { servers }: Pick<Examination, 'servers'>,
  guard: AddressGuard,
): Promise<readonly DocumentFinding[]> {
  const ownUrl = given === undefined ? [] : [{ url: given, line: 0, column: 0, pointer: '' }];
  const named = servers.map((server, index) => ({ ...server, pointer: `/servers/${index}/url` }));
  if (ownUrl.length + named.length === 0) return [NO_URL];
  const checked = await Promise.all([...ownUrl, ...named].map((place) => findingOf(place, guard, given)));
  return checked.filter((finding) => finding !== undefined);
}

const NO_URL: DocumentFinding = {
  severity: 'error',
  rule: RULE,
  message: 'There is no service URL: the document names no server and none was given',
  line: 0,
  column: 0,
  pointer: '/servers',
};

interface FoundAt {
  readonly url: string;
  readonly line: number;
  readonly column: number;
  readonly pointer: string;
}

async function findingOf(
  { url, line, column, pointer }: FoundAt,
  guard: AddressGuard,
  given: string | undefined,
): Promise<DocumentFinding | undefined> {
  const mistake = validateServiceUrl(url);
  const reason = mistake === undefined ? await guard.refusalOf(url) : `The service URL ${mistake}`;
  if (reason === undefined) return undefined;
  // A relative server, such as `/v1`, does not matter if a service URL was given.
  const severity = mistake !== undefined && given !== undefined && pointer !== '' ? 'warning' : 'error';
  return { severity, rule: RULE, message: reason, line, column, pointer };
}
